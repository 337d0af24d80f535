import type { Position } from './words.ts';

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Works in plain bash 4, without the bash-completion package. */
export function toBash(positions: readonly Position[]): string {
  const cases = positions.map(({ path, next, flags, values }) => {
    const words = next.map(choice => choice.word).join(' ');
    const names = [...flags.map(flag => flag.word), '--help'].join(' ');
    return `    ${quote(path)}) words=${quote(words)} flags=${quote(names)}${values === undefined ? '' : ` values=${values}`} ;;`;
  });
  const valued = [
    ...new Set(positions.flatMap(({ flags }) => flags.filter(flag => flag.takesValue)).map(flag => flag.word)),
  ];
  return `# bash completion for recordproof
_recordproof_values() { recordproof completion values "$1" 2>/dev/null </dev/null | cut -f1; }
_recordproof() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' flags='' values='' i
  COMPREPLY=()
  case $previous in
  --profile) COMPREPLY=($(compgen -W "$(_recordproof_values profiles)" -- "$current")); return ;;
  ${valued.join('|')}) return 1 ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
    ${valued.join('|')}) ((i++)) ;;
    -*) ;;
    *) path+="\${path:+ }\${COMP_WORDS[i]}" ;;
    esac
  done
  case $path in
${cases.join('\n')}
    *) return 1 ;;
  esac
  if [[ $current == -* ]]; then words=$flags
  elif [[ $values ]]; then words+=" $(_recordproof_values $values)"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _recordproof recordproof
`;
}
