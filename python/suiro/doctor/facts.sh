# SPDX-License-Identifier: BSD-3-Clause
# Facts of a host, one line each: suiro-fact|HOST|PROCESS|NAME|VALUE. Arguments: the
# program if there is one, else an empty word, and libraries to preload.
# Only what every system has is used, since this runs on compute nodes.
host=$(cat /proc/sys/kernel/hostname)
say() { printf 'suiro-fact|%s|%s|%s|%s\n' "$host" "$$" "$1" "$2"; }
first_line() { { IFS= read -r line < "$1"; } 2>/dev/null && printf '%s' "$line"; }

say preload "$LD_PRELOAD"
unset LD_PRELOAD
say glibc "$(getconf GNU_LIBC_VERSION 2>/dev/null)"
while read -r name value; do
  [ "$name" = Cpus_allowed_list: ] && say cpus "$value"
done < /proc/self/status
program=$1
shift
if [ -n "$program" ]; then
  path=$(command -v -- "$program")
  [ -f "$path" ] && [ -x "$path" ] || path=missing
  say "program $program" "$path"
fi
for library in "$@"; do
  if [ ! -r "$library" ]; then
    say "library $library" missing
  else
    said=$(LD_PRELOAD=$library /bin/sh -c : 2>&1)
    say "library $library" "${said:-sum $(cksum < "$library")}"
  fi
done
for name in congestion_control slow_start_after_idle sack window_scaling rmem wmem; do
  say "tcp_$name" "$(first_line "/proc/sys/net/ipv4/tcp_$name")"
done
for link in /sys/class/net/*; do
  [ "$(first_line "$link/operstate")" = up ] || continue
  kind=virtual
  [ -e "$link/device" ] && kind=card
  say "link ${link##*/}" "$kind $(first_line "$link/type") $(first_line "$link/mtu") $(
    first_line "$link/duplex") $(first_line "$link/speed")"
done
say end ""
