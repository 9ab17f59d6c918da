# SPDX-License-Identifier: BSD-3-Clause
"""Takes links of a lab down and up again while a job runs in it."""

# Runs in the lab and starts the job, "$@". Each line that it reads is a host, and what to do there.
LISTENER = """
exec 3<&0
while read -r host words <&3; do
  suiro-lab-rsh "$host" "$words" </dev/null || echo "cannot set a link: $host $words"
done &
exec "$@" </dev/null 3<&-
"""


def setting(hosts: int, host: int, link: int, up: bool) -> str:
    """A line for LISTENER. A link that comes back has forgotten its neighbours."""
    words = [f"ip link set eth{link} {'up' if up else 'down'}"]
    for other in range(hosts):
        if up and other != host:
            address = f"10.{77 + link}.0.{other + 1} lladdr 02:00:00:00:{link:02x}:{other + 1:02x}"
            words.append(f"ip neigh replace {address} dev eth{link} nud permanent")
    return f"host{host} {' && '.join(words)}\n"
