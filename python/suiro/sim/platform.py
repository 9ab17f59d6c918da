# SPDX-License-Identifier: BSD-3-Clause
"""The model's network as SimGrid's platform.xml, with the settings that make it the plain model of
flows: rates of links and streams, latencies, and nothing that was fitted to other clusters."""

from suiro.sim.traces import Costs

_FAST_Bps = 1e15  # of what has no limit of its own

_PLATFORM = """\
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- A network as suiro's model has it. -->
<platform version="4.1">
  <config>
    <!-- A link carries as much in both directions at once: acknowledgements are in its rate. -->
    <prop id="network/crosstraffic" value="0"/>
    <!-- What a stream may have is a link of its own kind below, and no function of latency. -->
    <prop id="network/TCP-gamma" value="0"/>
    <!-- Flows share links alike, however fast the other links are that they cross. -->
    <prop id="network/weight-S" value="0"/>
    <!-- Rates are of user bytes: SMPI's factors for sizes are fits to other clusters. -->
    <prop id="smpi/bw-factor" value="0:1"/>
    <prop id="smpi/lat-factor" value="0:1"/>
    <!-- The sender of a short message does not wait for it; a stream takes each in its turn. -->
    <prop id="smpi/send-is-detached-thresh" value="{short}"/>
    <prop id="smpi/async-small-thresh" value="0"/>
    <!-- What messages take of processors is in the traces, since it differs inside nodes. -->
    <prop id="smpi/os" value="0:0:0"/>
    <prop id="smpi/ois" value="0:0:0"/>
    <prop id="smpi/or" value="0:0:0"/>
    <!-- Nothing is computed, so the speed of hosts does not matter. -->
    <prop id="smpi/host-speed" value="1Gf"/>
  </config>
  <zone id="network" routing="Full">
    <!-- Where ranks are. Data go out by a node's link. Inside a node there is latency only. -->
    <cluster id="nodes" prefix="node-" suffix="" radical="0-{last}" speed="1Gf"
             bw="{link_Bps:.9g}Bps" lat="0s" sharing_policy="SPLITDUPLEX" router_id="out"
             loopback_bw="{fast_Bps:.9g}Bps" loopback_lat="{local_latency_s:.9g}s"/>
    <!-- Where streams end. Data come in by a node's link. -->
    <cluster id="ports" prefix="port-" suffix="" radical="0-{last}" speed="1Gf"
             bw="{link_Bps:.9g}Bps" lat="0s" sharing_policy="SPLITDUPLEX" router_id="in"/>
    <!-- What one stream may have of a link. -->
    <link id="stream" bandwidth="{stream_Bps:.9g}Bps" latency="0s" sharing_policy="FATPIPE"/>
    <!-- The way from node to node, on which nothing waits: behind the port, so that the next
         message leaves when this one has left, and not when it has come. -->
    <link id="way" bandwidth="{fast_Bps:.9g}Bps" latency="{latency_s:.9g}s"
          sharing_policy="FATPIPE"/>
    <zoneRoute src="nodes" dst="ports" gw_src="out" gw_dst="in" symmetrical="NO">
      <link_ctn id="stream"/>
    </zoneRoute>
    <zoneRoute src="ports" dst="nodes" gw_src="in" gw_dst="out" symmetrical="NO">
      <link_ctn id="way"/>
    </zoneRoute>
  </zone>
</platform>
"""


def platform(nodes: int, network: dict[str, float], costs: Costs) -> str:
    """The whole file."""
    return _PLATFORM.format(
        last=nodes - 1,
        short=min(costs.wire_bytes(costs.eager) + 1, 2**31 - 1),
        fast_Bps=_FAST_Bps,
        stream_Bps=network["stream_Bps"] or _FAST_Bps,
        link_Bps=network["link_Bps"],
        latency_s=network["latency_s"],
        local_latency_s=network["local_latency_s"],
    )
