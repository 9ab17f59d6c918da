#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clean_roots.sh [SUITE...]: wheel, folder and package in fresh, minimal Debian systems, used by an
# ordinary user. Needs root, mmdebstrap and apt's own mirror; a suite takes a minute or two. The
# oldest has a Python that is too old for the command, so its libraries are preloaded by hand.
# SUITE may be "demo": the sources in Debian 12, where root has run ./dev setup in a copy of its own
# and an ordinary user runs ./dev demo. That takes some ten minutes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Created-By: Packages' |
  grep -v security | head -n 1)
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
mpis=openmpi-bin,libopenmpi-dev,mpich,libmpich-dev,gcc,libc6-dev,python3-venv,openssh-client
GIVEN=$scratch/given
export GIVEN

# fresh SUITE PACKAGES: a system, and what a user is given there.
fresh() {
  # A mirror may lag behind; what it has is signed all the same.
  mmdebstrap --quiet --mode=root --variant=minbase --include="$2" \
    --aptopt='Acquire::Check-Valid-Until "false"' "$1" "$system" "$mirror"
  rm -rf "$GIVEN"
  mkdir -p "$system/given" "$system/old" "$GIVEN"
  mknod -m 666 "$system/tun" c 10 200 # as udev makes it
  chroot "$system" useradd -m user
  cp /etc/resolv.conf /etc/hosts "$system/etc/"
}

# inside USER COMMAND...: in the system, with its own processes and mounts, which end with it. Its
# root is no chroot's, in which nobody may make user namespaces.
inside() {
  user=$1
  shift
  unshare --mount --pid --fork sh -c '
    user=$1 system=$2; shift 2
    mount --bind "$system" "$system"
    mount --rbind /dev "$system/dev"; mount -t proc proc "$system/proc"
    mount --bind "$system/tun" "$system/dev/net/tun"
    mount --rbind /sys "$system/sys"
    mount --bind "$GIVEN" "$system/given"; mount -o remount,bind,ro "$system/given"
    cd "$system"; pivot_root . old; umount -l old
    exec chroot --userspec="$user" / env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"' inside "$user" "$system" "$@"
}

# logged COMMAND...: says something only where it fails.
logged() { "$@" > "$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; exit 1; }; }

installed() {
  fresh "$1" $mpis
  python=$(chroot "$system" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  cp -r "$root/build/dist" "$root/build/suiro" "$root/examples" "$here/user.sh" "$GIVEN/"
  if [ ! -d "$root/build/wheels/$python" ]; then
    echo "-- Python $python is too old for the command: preloading by hand"
    inside user sh /given/user.sh preload
    return
  fi
  cp -r "$root/build/wheels/$python" "$GIVEN/wheels"
  for kind in wheel folder; do
    echo "-- $kind"
    inside user sh /given/user.sh $kind
  done
  echo "-- package"
  logged inside root sh -c 'apt-get update && apt-get install -y --no-install-recommends \
    /given/dist/suiro_*.deb'
  inside user sh /given/user.sh package
  logged inside root sh -c 'suiro --version; apt-get remove -qq -y suiro'
  left=$(find "$system/usr" "$system/etc" "$system/var" -path '*suiro*' -not -path '*/var/log/*')
  [ -z "$left" ] || { echo "left behind: $left"; exit 1; }
}

# The user's index of Python packages and its certificates are those of this machine.
demo() {
  fresh bookworm git,g++,ca-certificates
  git clone -q --bare "$root" "$GIVEN/suiro"
  for file in /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
    [ ! -f "$file" ] || cp "$file" "$system$file"
  done
  # For git the repository is somebody else's.
  clone='cd && git config --global --add safe.directory "*" && git clone -q /given/suiro suiro'
  logged inside root env HOME=/root sh -c "$clone && suiro/dev setup"
  ! inside root sh -c 'command -v clang' || { echo "setup installs clang"; exit 1; }
  logged inside user env HOME=/home/user sh -c "$clone"
  inside user env HOME=/home/user COLUMNS=80 /home/user/suiro/dev demo
  [ -s "$system/home/user/suiro/report/index.html" ]
}

for suite in "$@"; do
  system=$scratch/$suite
  echo "== $suite"
  if [ "$suite" = demo ]; then demo; else installed "$suite"; fi
  rm -rf --one-file-system "$system"
done
echo "installed and used everywhere"
