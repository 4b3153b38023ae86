# Completion of holon for bash: commands, their options, and the values options take.

_holon() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} options=
  COMPREPLY=()

  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W \
      'run check statics kinematics linearize inverse verify compare sweep import tyre plot view export list schema component help --help --version' -- "$current")
    return
  fi

  case $command in
  run)
    options='--output --time --tol --atol --rtol --step --max-step --coordinates --method --formula
      --independent --preset --xi --alpha --rho --penalty --projection --energy-upper --energy-lower --switch-step --max-iterations --linear-solver --threads --set --with --package --keyframe
      --accuracy --realtime --pace --at-bound --input
      --output-step --signals --format --no-units
      --no-scene --save-state --from --resume --checkpoint --no-checkpoint --allow-compiled --served --patience --strict --quiet --json --help'
    ;;
  check) options='--set --with --package --keyframe --coordinates --allow-compiled --served --patience --strict --json --help' ;;
  component)
    options='--output --input --no-inputs --runtime --as --stdio --memory --idle --json --help'
    if [ "$COMP_CWORD" -eq 2 ]; then
      mapfile -t COMPREPLY < <(compgen -W 'build show serve' -- "$current")
      return
    fi
    ;;
  statics) options='--set --with --package --keyframe --strict --json --help' ;;
  linearize)
    options='--at --inputs --outputs --modes --dense --campbell --response --frequencies --amplitude --mat --npz --plot --shapes --coordinates --tol --set --with --package --keyframe
      --strict --quiet --json --help'
    ;;
  inverse)
    options='--motion --drives --weight --output --time --output-step --coordinates --tol --set --with --package --keyframe --strict --json
      --help'
    ;;
  kinematics)
    options='--output --time --set --with --package --keyframe --output-step --signals --format --no-units --no-scene --strict
      --quiet --json --help'
    ;;
  verify)
    options='--output --time --tol --signals --among --most --fixed --budget --set --with --package --keyframe --allow-compiled
      --quiet --json
      --help'
    ;;
  compare)
    options='--output --time --tol --step --among --signals --quick --budget --set --with --package --keyframe --allow-compiled --quiet
      --json --help'
    ;;
  sweep)
    options='--vary --sample --seed --table --measure --output --jobs --shard --slurm --time --tol --step
      --output-step --coordinates --preset --set --with --package --keyframe --quiet --json --help'
    ;;
  import) options='--output --with --package --keyframe --merge-fixed --depth --density --proposals --page --strict --quiet --json --help' ;;
  tyre) options='--table --output --plot --load --side --axes --json --quiet --help' ;;
  plot) options='--output --against --title --list --help' ;;
  view) options='--mode --against --html --png --time --size --view --port --no-open --help' ;;
  export) options='--gltf --results --mjcf --urdf --sdf --set --input --with --package --keyframe --strict --quiet --json --help' ;;
  list) options='--json --help' ;;
  schema) options='--help' ;;
  help)
    mapfile -t COMPREPLY < <(compgen -W \
      'run check statics kinematics linearize inverse verify compare sweep import tyre plot view export list schema component' -- "$current")
    return
    ;;
  esac

  # the words of `holon list` stand behind their title: "methods       first-order, ..."
  local title=
  case $previous in
  --coordinates) title=coordinates ;;
  --method) title=methods ;;
  --formula) title=formulas ;;
  --independent) title=independent ;;
  --preset) title=presets ;;
  --linear-solver) title=linear-solver ;;
  --format)
    mapfile -t COMPREPLY < <(compgen -W 'hdf5 csv npz store' -- "$current")
    return
    ;;
  --pace)
    mapfile -t COMPREPLY < <(compgen -W 'clock none' -- "$current")
    return
    ;;
  --projection)
    mapfile -t COMPREPLY < <(compgen -W 'auto tangent mass-orthogonal none' -- "$current")
    return
    ;;
  --accuracy)
    mapfile -t COMPREPLY < <(compgen -W 'auto on off' -- "$current")
    return
    ;;
  --at-bound)
    mapfile -t COMPREPLY < <(compgen -W 'accept stop' -- "$current")
    return
    ;;
  --at)
    mapfile -t COMPREPLY < <(compgen -W 'drawing equilibrium' -- "$current")
    return
    ;;
  --view)
    mapfile -t COMPREPLY < <(compgen -W 'iso front side top' -- "$current")
    return
    ;;
  -o | --output | --input | --save-state | --from | --against | --html | --png | --gltf | --results | --mjcf | --urdf | --sdf | --resume | --mat | --npz | --plot | --shapes | --motion)
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
    ;;
  --time | --tol | --atol | --rtol | --step | --max-step | --output-step | --patience | --checkpoint | --threads | --set | --package | --keyframe | \
    --xi | --alpha | --rho | --penalty | --energy-upper | --energy-lower | --switch-step | --max-iterations | \
    --signals | --title | --size | --port | --among | --budget | --most | --fixed | --inputs | --outputs | --mode | --modes | --campbell | --response | --frequencies | --amplitude | --drives | --weight) return ;;
  esac
  if [ -n "$title" ]; then
    local words
    words=$("${COMP_WORDS[0]}" list 2>/dev/null | sed -n "s/^$title  *//p" | tr -d ',')
    mapfile -t COMPREPLY < <(compgen -W "auto $words" -- "$current")
    return
  fi

  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  elif [ "$command" = plot ] || [ "$command" = view ] || [ "$command" = export ]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
  else
    mapfile -t COMPREPLY < <(
      compgen -f -X '!*.@(yaml|yml|json)' -- "$current"
      compgen -d -S / -- "$current"
    )
  fi
}
complete -o filenames -F _holon holon
