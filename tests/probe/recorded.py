# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that probes of the labs measured: of A's stream to B, and of what went to C."""

from suiro.probe.evidence import Control, Evidence, Incast, Part

# By lab: for each try ((light: free_share, busy_lost), (heavy: free_share, busy_lost)).
LABS = {
    "4x4-hol": [
        ((0.503, 0.0), (0.697, 0.0)),
        ((0.552, 0.0), (0.709, 0.0)),
        ((0.523, 0.0), (0.732, 0.0)),
    ],
    "8x4-hol": [((0.21, 0.0), (0.38, 0.0)), ((0.18, 0.0), (0.34, 0.0)), ((0.18, 0.0), (0.37, 0.0))],
    "4x4-pause": [
        ((0.999, 0.0), (0.714, 0.0)),
        ((0.999, 0.0), (0.696, 0.0)),
        ((1.001, 0.0), (0.727, 0.0)),
    ],
    "4x4-shared": [
        ((0.754, 0.309), (0.463, 0.428)),
        ((0.847, 0.308), (0.480, 0.428)),
        ((0.791, 0.310), (0.469, 0.429)),
    ],
    "4x4-voq": [
        ((0.999, 0.0), (1.000, 0.0)),
        ((0.999, 0.0), (1.000, 0.0)),
        ((1.001, 0.0), (1.001, 0.0)),
    ],
}
LINK_BPS = 11_700_000.0
CONTROL = Control(share=0.998, lost=0.0, overflowed=0.0)


def part(name: str, free_share: float, busy_lost: float) -> Part:
    light = name == "light"
    return Part(
        name=name,
        sender=0,
        free=1,
        busy=2,
        free_share=free_share,
        busy_share=free_share,
        free_lost=busy_lost / 2,
        busy_lost=busy_lost,
        sender_offered=0.9,
        waits=0.64 if light else 0.45,
        busy_offered=1.58 if light else 1.95,
        busy_filled=1.02,
        refused=0.0,
        overflowed=0.0,
    )


def evidence(lab: str, hosts: int = 4) -> Evidence:
    parts = [
        part(name, *numbers)
        for one_try in LABS[lab]
        for name, numbers in zip(("light", "heavy"), one_try, strict=True)
    ]
    return Evidence(
        hosts=[f"host{index}" for index in range(hosts)],
        link_Bps=[LINK_BPS] * hosts,
        flows=1,
        payload_bytes=1472,
        controls=[CONTROL] * 3,
        parts=parts,
        incast=Incast(sources=hosts - 1, bytes=262144, slowdown=1.2, retransmissions=9, rounds=6),
        sent_bytes=68_000_000,
    )
