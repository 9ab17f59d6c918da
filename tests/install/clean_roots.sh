#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clean_roots.sh [SUITE...]: wheel, folder and package in fresh, minimal Debian systems, used by an
# ordinary user. Needs root, mmdebstrap and apt's own mirror; a suite takes a minute or two. The
# oldest has a Python that is too old for the command, so its libraries are preloaded by hand.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Created-By: Packages' |
  grep -v security | head -n 1)
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
mpis=openmpi-bin,libopenmpi-dev,mpich,libmpich-dev,gcc,libc6-dev,python3-venv,openssh-client

# inside USER COMMAND...: in the system, with its own processes and mounts, which end with it.
inside() {
  user=$1
  shift
  unshare --mount --pid --fork sh -c '
    user=$1 system=$2; shift 2
    mount --rbind /dev "$system/dev"; mount -t proc proc "$system/proc"
    mount --rbind /sys "$system/sys"
    mount --bind "$GIVEN" "$system/given"; mount -o remount,bind,ro "$system/given"
    cd /; exec chroot --userspec="$user" "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"' inside "$user" "$system" "$@"
}

for suite in "$@"; do
  system=$scratch/$suite
  echo "== $suite"
  # A mirror may lag behind; what it has is signed all the same.
  mmdebstrap --quiet --mode=root --variant=minbase --include="$mpis" \
    --aptopt='Acquire::Check-Valid-Until "false"' "$suite" "$system" "$mirror"
  mkdir -p "$system/given" "$scratch/given"
  chroot "$system" useradd -m user
  cp /etc/resolv.conf /etc/hosts "$system/etc/"
  python=$(chroot "$system" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  rm -rf "$scratch/given"
  mkdir -p "$scratch/given"
  cp -r "$root/build/dist" "$root/build/suiro" "$root/examples" "$here/user.sh" "$scratch/given/"
  GIVEN=$scratch/given
  export GIVEN
  if [ ! -d "$root/build/wheels/$python" ]; then
    echo "-- Python $python is too old for the command: preloading by hand"
    inside user sh /given/user.sh preload
    continue
  fi
  cp -r "$root/build/wheels/$python" "$scratch/given/wheels"
  for kind in wheel folder; do
    echo "-- $kind"
    inside user sh /given/user.sh $kind
  done
  echo "-- package"
  inside root sh -c 'apt-get update && apt-get install -y --no-install-recommends \
    /given/dist/suiro_*.deb' > "$scratch/apt.log" 2>&1 || { cat "$scratch/apt.log"; exit 1; }
  inside user sh /given/user.sh package
  inside root sh -c 'suiro --version; apt-get remove -qq -y suiro' > "$scratch/apt.log" 2>&1
  left=$(find "$system/usr" "$system/etc" "$system/var" -path '*suiro*' -not -path '*/var/log/*')
  [ -z "$left" ] || { echo "left behind: $left"; exit 1; }
  rm -rf --one-file-system "$system"
done
echo "installed and used everywhere"
