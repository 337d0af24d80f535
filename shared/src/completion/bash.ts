// Completion script for bash.
import { type Completion, functionOf, listValued, type Position } from './position.ts';

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function toCase({ path, next, flags, values, takesFile }: Position): string {
  const words = next.map(choice => choice.word).join(' ');
  const names = [...flags.map(flag => flag.word), '--help'].join(' ');
  const more = `${values === undefined ? '' : ` values=${values}`}${takesFile === true ? ' files=yes' : ''}`;
  return `    ${quote(path)}) words=${quote(words)} flags=${quote(names)}${more} ;;`;
}

/** Works in plain bash 4, without the bash-completion package. */
export function toBash(completion: Completion): string {
  const { program, positions } = completion;
  const name = functionOf(completion);
  const valued = listValued(completion);
  const passedOn = completion.passedOn ?? [];
  const rest = passedOn.length === 0 ? '' : ` "\${passed[@]}"`;
  const collect = `  for ((i = 1; i < COMP_CWORD - 1; i++)); do
    case \${COMP_WORDS[i]} in
    ${passedOn.join('|')}) passed+=("\${COMP_WORDS[i]}" "\${COMP_WORDS[i+1]}") ;;
    esac
  done
`;
  const cases = [...valued].flatMap(([word, asks]) =>
    asks === undefined
      ? []
      : [`  ${word}) COMPREPLY=($(compgen -W "$(${name}_values ${asks}${rest})" -- "$current")); return ;;\n`],
  );
  return `# bash completion for ${program}
${name}_values() { ${program} completion values "$@" 2>/dev/null </dev/null | cut -f1; }
${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' flags='' values='' files='' i passed=()
  COMPREPLY=()
${passedOn.length === 0 ? '' : collect}  case $previous in
${cases.join('')}  ${[...valued.keys()].join('|')}) return 1 ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
    ${[...valued.keys()].join('|')}) ((i++)) ;;
    -*) ;;
    *) path+="\${path:+ }\${COMP_WORDS[i]}" ;;
    esac
  done
  case $path in
${positions.map(toCase).join('\n')}
    *) return 1 ;;
  esac
  if [[ $current == -* ]]; then words=$flags files=''
  elif [[ $values ]]; then words+=" $(${name}_values $values${rest})"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ $files ]]; then
    local IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$current"))
    compopt -o filenames 2>/dev/null || true
  fi
}
complete -o default -F ${name} ${program}
`;
}
