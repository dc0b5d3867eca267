/**
 * Removes `<mount>/<namespace>/<name>` and nothing else: `sh -c SCRIPT cleanup <mount> <namespace> <name>`. POSIX shell and
 * rm, nothing more, so that any small image will do.
 *
 * It works from inside the namespace's directory, so that what is checked is what is removed. rm follows no link, neither
 * the target itself nor one inside. A volume that a pod mounts comes with what is mounted below it on the node.
 */
export const CLEANUP_SCRIPT = `set -u
refuse() {
  printf 'cannot remove %s: %s\\n' "$target" "$1" >&2
  exit 1
}
is_there() { [ -e "$1" ] || [ -L "$1" ]; }

target='the storage root'
for name in "$2" "$3"; do
  case $name in
  '' | . | .. | *[!abcdefghijklmnopqrstuvwxyz0123456789.-]*)
    refuse 'its namespace and name must be names of Kubernetes' ;;
  esac
done

cd -P "$1" || refuse 'its base cannot be entered'
base=$(pwd -P)
[ "$base" != / ] || refuse 'its base is the root of the file system'
target=$base/$2/$3

is_there "./$2" || exit 0
cd -P "./$2" || refuse "the directory of its namespace cannot be entered"
[ "$(pwd -P)" = "$base/$2" ] || refuse 'the directory of its namespace is a link'

[ -r /proc/self/mountinfo ] || refuse 'what is mounted cannot be read'
while read -r _ _ _ _ point _; do
  case $point in
  "$target" | "$target"/*) refuse "$point is a mount point" ;;
  esac
done </proc/self/mountinfo

rm -rf "./$3" || refuse 'rm failed'
! is_there "./$3" || refuse 'it is still there'
`;
