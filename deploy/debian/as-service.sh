# The program as the service runs it: its user, its settings, its secrets. DPKG_ROOT is set by dpkg where the package is
# installed into another tree.
root=${DPKG_ROOT:-}
program=$root/usr/bin/recordproof-server

# As systemd reads it: a name and a value on each line, the value perhaps in quotes. Nothing of it is run.
read_environment() {
  if [ ! -r "$root/etc/recordproof/environment" ]; then return; fi
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      [A-Za-z_]*=*) ;;
      *) continue ;;
    esac
    name=${line%%=*} value=${line#*=}
    case $name in *[!A-Za-z0-9_]*) continue ;; esac
    case $value in
      \"*\") value=${value#\"} value=${value%\"} ;;
      \'*\') value=${value#\'} value=${value%\'} ;;
    esac
    export "$name=$value"
  done <"$root/etc/recordproof/environment"
}

as_service() {
  set -- "$program" "$@" --config "$root/etc/recordproof/recordproof.yaml" --data "$root/var/lib/recordproof"
  if [ -z "$root" ]; then set -- runuser -u recordproof -- "$@"; fi
  (read_environment && cd "$root/var/lib/recordproof" && exec "$@" </dev/null)
}

runs_systemd() { [ -z "$root" ] && [ -d /run/systemd/system ]; }
