// Completion script for zsh.
import { type Choice, type Completion, functionOf, listValued, type Position } from './position.ts';

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const described = ({ word, summary }: Choice): string =>
  quote(`${word.replaceAll(':', '\\:')}${summary && `:${summary}`}`);

function toCase({ path, next, flags, values, takesFile }: Position): string {
  const names = [...flags.map(described), "'--help'"].join(' ');
  const more = `${values === undefined ? '' : ` values=${values}`}${takesFile === true ? ' files=yes' : ''}`;
  return `    ${quote(path)}) words_here=(${next.map(described).join(' ')}) flags_here=(${names})${more} ;;`;
}

export function toZsh(completion: Completion): string {
  const { program, positions } = completion;
  const name = functionOf(completion);
  const valued = listValued(completion);
  const passedOn = completion.passedOn ?? [];
  const rest = passedOn.length === 0 ? '' : ` "\${passed[@]}"`;
  const collect = `  for ((i = 2; i < CURRENT - 1; i++)); do
    case \${words[i]} in
    ${passedOn.join('|')}) passed+=("\${words[i]}" "\${(Q)words[i+1]}") ;;
    esac
  done
`;
  const cases = [...valued].flatMap(([word, asks]) =>
    asks === undefined
      ? []
      : [
          `  if [[ \${words[CURRENT-1]} == ${word} ]]; then
    words_here=(\${(f)"$(${name}_values ${asks}${rest})"})
    _describe value words_here
    return
  fi
`,
        ],
  );
  return `#compdef ${program}
${name}_values() {
  ${program} completion values "$@" 2>/dev/null </dev/null | sed -e 's/:/\\\\:/g' -e $'s/\\t/:/'
}
${name}() {
  local -a words_here flags_here spoken passed
  local i values='' files=''
${passedOn.length === 0 ? '' : collect}${cases.join('')}  if [[ \${words[CURRENT-1]} == (${[...valued.keys()].join('|')}) ]]; then _files; return; fi
  for ((i = 2; i < CURRENT; i++)); do
    case \${words[i]} in
    ${[...valued.keys()].join('|')}) ((i++)) ;;
    -*) ;;
    *) spoken+=("\${words[i]}") ;;
    esac
  done
  case "\${(j: :)spoken}" in
${positions.map(toCase).join('\n')}
    *) _files; return ;;
  esac
  if [[ \${words[CURRENT]} != -* && -n $values ]]; then words_here+=(\${(f)"$(${name}_values $values${rest})"}); fi
  if [[ \${words[CURRENT]} == -* ]]; then _describe -o flag flags_here
  elif (( \${#words_here} )); then
    _describe command words_here
    [[ -n $files ]] && _files
  else _files
  fi
}
if [[ \${funcstack[1]} == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program}; fi
`;
}
