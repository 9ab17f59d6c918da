#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# build.sh TREE OUTPUT: completes the tree of files whose usr/lib/suiro there is, and packs it.
set -eu
tree=$1 output=$2
here=$(dirname "$0")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
mkdir -p "$tree/DEBIAN" "$tree/usr/bin" "$tree/usr/share/doc/suiro" "$output"
ln -s ../lib/suiro/bin/suiro "$tree/usr/bin/suiro"
mv "$tree/usr/lib/suiro/examples" "$tree/usr/share/doc/suiro/examples"
ln -s ../../share/doc/suiro/examples "$tree/usr/lib/suiro/examples"
python="$tree/usr/lib/suiro/lib/python"
# Of the libraries inside, what Debian has in other places: licences, scripts, what pip noted.
{
  cat "$here/copyright"
  for folder in "$python"/*.dist-info; do
    name=$(basename "$folder" .dist-info)
    find "$folder" -ipath '*licen[sc]e*' -type f | sort | while read -r file; do
      printf '\nThe text below is of %s:\n\n' "$name"; cat "$file"
    done
  done
} > "$tree/usr/share/doc/suiro/copyright"
rm -rf "$python/bin" "$python"/*.data
find "$python" -ipath '*.dist-info/*licen[sc]e*' -type f -delete
find "$python" -name py.typed -size 0 -delete
find "$python" -name '*.so' -exec strip --strip-unneeded {} +
find "$python" -type d -empty -delete
find "$tree/usr/lib/suiro/lib" -name '*.so' -exec chmod 644 {} +
{
  printf 'suiro (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md of the sources.\n\n' "$version"
  printf ' -- %s  %s\n' "$(sed -n 's/^Maintainer: //p' "$here/control")" \
    "$(date -R -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}")"
} | gzip -9n > "$tree/usr/share/doc/suiro/changelog.gz"
install -m 755 "$here/postinst" "$here/prerm" "$tree/DEBIAN/"
size=$(du -sk --exclude=DEBIAN "$tree" | cut -f 1)
sed -e "s/@version@/$version/" -e "s/@size@/$size/" "$here/control" > "$tree/DEBIAN/control"
chmod -R u+rwX,go+rX,go-w "$tree"
(cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
dpkg-deb --root-owner-group -Zxz --build "$tree" "$output/suiro_${version}_amd64.deb" > /dev/null
echo "$output/suiro_${version}_amd64.deb"
