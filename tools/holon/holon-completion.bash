# Completion of holon for bash: commands, their options, and the values options take.

_holon() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} options= values= takes=
  local commands='run check statics kinematics linearize inverse verify compare sweep import tyre plot view export list schema component'
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands help --help --version" -- "$current")
    return
  fi
  [ "$previous" != -o ] || previous=--output
  if [ "$command" = component ] && [ "$COMP_CWORD" -eq 2 ]; then
    mapfile -t COMPREPLY < <(compgen -W 'build show serve' -- "$current")
    return
  fi

  # what follows from the tables of the commands: scripts/make-reference
  case $command in
  # options
  run)
    options='--output --time --tol --atol --rtol --step --max-step --coordinates --method --formula --independent --xi --alpha --rho --penalty --max-iterations --energy-upper --energy-lower --switch-step --projection --gamma --preset --linear-solver --threads --max-steps --accuracy --realtime --pace --at-bound --input --pulls --set --with --package --keyframe --max-entries --output-step --signals --format --no-units --no-scene --save-state --from --resume --checkpoint --no-checkpoint --allow-compiled --served --patience --strict --quiet --json --help'
    case $previous in
    --output) takes=path ;;
    --time) takes=text ;;
    --tol) takes=text ;;
    --atol) takes=text ;;
    --rtol) takes=text ;;
    --step) takes=text ;;
    --max-step) takes=text ;;
    --coordinates) values='auto cartesian natural relative' ;;
    --method) values='auto first-order descriptor descriptor-form state-space augmented-lagrangian-3 augmented-lagrangian-1 multi-index components time-stepping' ;;
    --formula) values='auto dopri5 adams trapezoidal newmark hht generalized-alpha sdirk2 sdirk4-16 sdirk4-15 rosenbrock' ;;
    --independent) values='auto none partition tangent-plane' ;;
    --xi) takes=text ;;
    --alpha) takes=text ;;
    --rho) takes=text ;;
    --penalty) takes=text ;;
    --max-iterations) takes=text ;;
    --energy-upper) takes=text ;;
    --energy-lower) takes=text ;;
    --switch-step) takes=text ;;
    --projection) values='auto tangent mass-orthogonal none' ;;
    --gamma) takes=text ;;
    --preset) values='SspTrap InflTrap InflSDIRK ForSDIRK ForRosen GLB+TR HYB+TR TPL+TR GLB+SDIRK HYB+SDIRK TPL+SDIRK multi-index' ;;
    --linear-solver) values='auto topology augmented' ;;
    --threads) takes=text ;;
    --max-steps) takes=text ;;
    --accuracy) values='auto on off' ;;
    --pace) values='clock none' ;;
    --at-bound) values='accept stop' ;;
    --input) takes=text ;;
    --pulls) takes=path ;;
    --set) takes=text ;;
    --with) takes=path ;;
    --package) takes=text ;;
    --keyframe) takes=text ;;
    --max-entries) takes=text ;;
    --output-step) takes=text ;;
    --signals) takes=text ;;
    --format) values='hdf5 csv npz store' ;;
    --save-state) takes=path ;;
    --from) takes=path ;;
    --resume) takes=path ;;
    --checkpoint) takes=text ;;
    --served) takes=text ;;
    --patience) takes=text ;;
    esac
    ;;
  check)
    options='--set --with --package --keyframe --max-entries --coordinates --allow-compiled --served --patience --strict --json --help'
    case $previous in
    --set) takes=text ;;
    --with) takes=path ;;
    --package) takes=text ;;
    --keyframe) takes=text ;;
    --max-entries) takes=text ;;
    --coordinates) values='auto cartesian natural relative' ;;
    --served) takes=text ;;
    --patience) takes=text ;;
    esac
    ;;
  statics)
    options='--set --with --package --keyframe --max-entries --strict --json --help'
    case $previous in
    --set) takes=text ;;
    --with) takes=path ;;
    --package) takes=text ;;
    --keyframe) takes=text ;;
    --max-entries) takes=text ;;
    esac
    ;;
  kinematics)
    options='--output --time --input --set --with --package --keyframe --max-entries --output-step --signals --format --no-units --no-scene --strict --quiet --json --help'
    case $previous in
    --output) takes=path ;;
    --time) takes=text ;;
    --input) takes=text ;;
    --set) takes=text ;;
    --with) takes=path ;;
    --package) takes=text ;;
    --keyframe) takes=text ;;
    --max-entries) takes=text ;;
    --output-step) takes=text ;;
    --signals) takes=text ;;
    --format) values='hdf5 csv npz' ;;
    esac
    ;;
  plot)
    options='--output --against --title --list --help'
    case $previous in
    --output) takes=path ;;
    --against) takes=path ;;
    --title) takes=text ;;
    esac
    ;;
  view)
    options='--mode --against --html --live --png --gif --mp4 --time --moments --speed --fps --size --view --port --no-open --help'
    case $previous in
    --mode) takes=text ;;
    --against) takes=path ;;
    --html) takes=path ;;
    --png) takes=path ;;
    --gif) takes=path ;;
    --mp4) takes=path ;;
    --time) takes=text ;;
    --moments) takes=text ;;
    --speed) takes=text ;;
    --fps) takes=text ;;
    --size) takes=text ;;
    --view) values='iso front side top' ;;
    --port) takes=text ;;
    esac
    ;;
  live)
    options='--set --with --package --tol --atol --rtol --step --max-step --coordinates --method --formula --independent --xi --alpha --rho --penalty --max-iterations --energy-upper --energy-lower --switch-step --projection --gamma --preset --linear-solver --threads --max-steps --port --no-open --help'
    case $previous in
    --set) takes=text ;;
    --with) takes=path ;;
    --package) takes=text ;;
    --tol) takes=text ;;
    --atol) takes=text ;;
    --rtol) takes=text ;;
    --step) takes=text ;;
    --max-step) takes=text ;;
    --coordinates) values='auto cartesian natural relative' ;;
    --method) values='auto first-order descriptor descriptor-form state-space augmented-lagrangian-3 augmented-lagrangian-1 multi-index components time-stepping' ;;
    --formula) values='auto dopri5 adams trapezoidal newmark hht generalized-alpha sdirk2 sdirk4-16 sdirk4-15 rosenbrock' ;;
    --independent) values='auto none partition tangent-plane' ;;
    --xi) takes=text ;;
    --alpha) takes=text ;;
    --rho) takes=text ;;
    --penalty) takes=text ;;
    --max-iterations) takes=text ;;
    --energy-upper) takes=text ;;
    --energy-lower) takes=text ;;
    --switch-step) takes=text ;;
    --projection) values='auto tangent mass-orthogonal none' ;;
    --gamma) takes=text ;;
    --preset) values='SspTrap InflTrap InflSDIRK ForSDIRK ForRosen GLB+TR HYB+TR TPL+TR GLB+SDIRK HYB+SDIRK TPL+SDIRK multi-index' ;;
    --linear-solver) values='auto topology augmented' ;;
    --threads) takes=text ;;
    --max-steps) takes=text ;;
    --port) takes=text ;;
    esac
    ;;
  export)
    options='--gltf --results --mjcf --urdf --sdf --fmu --fmi --kind --signals --runtime --set --input --with --package --keyframe --max-entries --strict --quiet --json --help'
    case $previous in
    --gltf) takes=path ;;
    --results) takes=path ;;
    --mjcf) takes=path ;;
    --urdf) takes=path ;;
    --sdf) takes=path ;;
    --fmu) takes=path ;;
    --fmi) takes=text ;;
    --kind) takes=text ;;
    --signals) takes=text ;;
    --runtime) takes=path ;;
    --set) takes=text ;;
    --input) takes=text ;;
    --with) takes=path ;;
    --package) takes=text ;;
    --keyframe) takes=text ;;
    --max-entries) takes=text ;;
    esac
    ;;
  list)
    options='--json --help'
    case $previous in
    esac
    ;;
  schema)
    options='--help'
    case $previous in
    esac
    ;;
  component)
    options='--output --input --no-inputs --runtime --as --stdio --memory --idle --json --help'
    case $previous in
    --output) takes=path ;;
    --input) takes=text ;;
    --runtime) takes=path ;;
    --as) takes=text ;;
    --memory) takes=text ;;
    --idle) takes=text ;;
    esac
    ;;
  verify)
    options='--output --time --tol --signals --among --most --fixed --budget --set --with --package --keyframe --max-entries --allow-compiled --quiet --json --help'
    case $previous in
    --output) takes=path ;;
    --time) takes=text ;;
    --tol) takes=text ;;
    --signals) takes=text ;;
    --among) takes=text ;;
    --most) takes=text ;;
    --fixed) takes=text ;;
    --budget) takes=text ;;
    --set) takes=text ;;
    --with) takes=path ;;
    --package) takes=text ;;
    --keyframe) takes=text ;;
    --max-entries) takes=text ;;
    esac
    ;;
  compare)
    options='--output --time --tol --step --among --signals --quick --budget --set --with --package --keyframe --max-entries --allow-compiled --quiet --json --help'
    case $previous in
    --output) takes=path ;;
    --time) takes=text ;;
    --tol) takes=text ;;
    --step) takes=text ;;
    --among) takes=text ;;
    --signals) takes=text ;;
    --budget) takes=text ;;
    --set) takes=text ;;
    --with) takes=path ;;
    --package) takes=text ;;
    --keyframe) takes=text ;;
    --max-entries) takes=text ;;
    esac
    ;;
  sweep)
    options='--vary --sample --seed --table --measure --output --jobs --shard --slurm --time --tol --step --output-step --coordinates --preset --set --with --package --keyframe --max-entries --quiet --json --help'
    case $previous in
    --vary) takes=text ;;
    --sample) takes=text ;;
    --seed) takes=text ;;
    --table) takes=path ;;
    --measure) takes=text ;;
    --output) takes=path ;;
    --jobs) takes=text ;;
    --shard) takes=text ;;
    --slurm) takes=text ;;
    --time) takes=text ;;
    --tol) takes=text ;;
    --step) takes=text ;;
    --output-step) takes=text ;;
    --coordinates) values='auto cartesian natural relative' ;;
    --preset) values='SspTrap InflTrap InflSDIRK ForSDIRK ForRosen GLB+TR HYB+TR TPL+TR GLB+SDIRK HYB+SDIRK TPL+SDIRK multi-index' ;;
    --set) takes=text ;;
    --with) takes=path ;;
    --package) takes=text ;;
    --keyframe) takes=text ;;
    --max-entries) takes=text ;;
    esac
    ;;
  import)
    options='--output --with --package --keyframe --max-entries --merge-fixed --depth --density --proposals --page --strict --quiet --json --help'
    case $previous in
    --output) takes=path ;;
    --with) takes=path ;;
    --package) takes=text ;;
    --keyframe) takes=text ;;
    --max-entries) takes=text ;;
    --depth) takes=text ;;
    --density) takes=text ;;
    --proposals) takes=path ;;
    --page) takes=path ;;
    esac
    ;;
  tyre)
    options='--table --output --plot --load --side --axes --json --quiet --help'
    case $previous in
    --table) takes=path ;;
    --output) takes=path ;;
    --plot) takes=path ;;
    --load) takes=text ;;
    --side) values='file left right' ;;
    --axes) values='iso sae adapted-sae' ;;
    esac
    ;;
  linearize)
    options='--at --inputs --outputs --modes --dense --campbell --response --frequencies --amplitude --mat --npz --plot --shapes --coordinates --tol --set --with --package --keyframe --max-entries --strict --quiet --json --help'
    case $previous in
    --at) takes=text ;;
    --inputs) takes=text ;;
    --outputs) takes=text ;;
    --modes) takes=text ;;
    --campbell) takes=text ;;
    --response) takes=text ;;
    --frequencies) takes=text ;;
    --amplitude) takes=text ;;
    --mat) takes=path ;;
    --npz) takes=path ;;
    --plot) takes=path ;;
    --shapes) takes=path ;;
    --coordinates) values='auto cartesian natural relative' ;;
    --tol) takes=text ;;
    --set) takes=text ;;
    --with) takes=path ;;
    --package) takes=text ;;
    --keyframe) takes=text ;;
    --max-entries) takes=text ;;
    esac
    ;;
  inverse)
    options='--motion --drives --weight --output --time --output-step --coordinates --tol --set --with --package --keyframe --max-entries --strict --json --help'
    case $previous in
    --motion) takes=text ;;
    --drives) takes=text ;;
    --weight) takes=text ;;
    --output) takes=path ;;
    --time) takes=text ;;
    --output-step) takes=text ;;
    --coordinates) values='auto cartesian natural relative' ;;
    --tol) takes=text ;;
    --set) takes=text ;;
    --with) takes=path ;;
    --package) takes=text ;;
    --keyframe) takes=text ;;
    --max-entries) takes=text ;;
    esac
    ;;
  fmu)
    options='--variables --run --output --kind --time --step --tol --and --connect --set --call-limit --json --quiet --help'
    case $previous in
    --output) takes=path ;;
    --kind) values='auto me cs' ;;
    --time) takes=text ;;
    --step) takes=text ;;
    --tol) takes=text ;;
    --and) takes=path ;;
    --connect) takes=text ;;
    --set) takes=text ;;
    --call-limit) takes=text ;;
    esac
    ;;
  # /options
  help) values=$commands ;;
  esac

  if [ -n "$values" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
  elif [ "$takes" = path ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [ "$takes" = text ]; then
    return
  elif [[ $current == -* ]]; then
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
