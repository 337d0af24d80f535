import type { Choice, Flag, Position } from './words.ts';

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const described = ({ word, summary }: Choice): string =>
  quote(`${word.replaceAll(':', '\\:')}${summary && `:${summary}`}`);
const isValued = (flag: Flag): boolean => flag.takesValue;

export function toZsh(positions: readonly Position[]): string {
  const cases = positions.map(
    ({ path, next, flags, values }) =>
      `    ${quote(path)}) words_here=(${next.map(described).join(' ')}) flags_here=(${[...flags.map(described), "'--help'"].join(' ')})${values === undefined ? '' : ` values=${values}`} ;;`,
  );
  const valued = [...new Set(positions.flatMap(({ flags }) => flags.filter(isValued)).map(flag => flag.word))];
  return `#compdef recordproof
_recordproof_values() {
  recordproof completion values "$1" 2>/dev/null </dev/null | sed -e 's/:/\\\\:/g' -e $'s/\\t/:/'
}
_recordproof() {
  local -a words_here flags_here spoken
  local i values=''
  if [[ \${words[CURRENT-1]} == --profile ]]; then
    words_here=(\${(f)"$(_recordproof_values profiles)"})
    _describe profile words_here
    return
  fi
  [[ \${words[CURRENT-1]} == (${valued.join('|')}) ]] && return 1
  for ((i = 2; i < CURRENT; i++)); do
    case \${words[i]} in
    ${valued.join('|')}) ((i++)) ;;
    -*) ;;
    *) spoken+=("\${words[i]}") ;;
    esac
  done
  case "\${(j: :)spoken}" in
${cases.join('\n')}
    *) _files; return ;;
  esac
  if [[ \${words[CURRENT]} != -* && -n $values ]]; then words_here+=(\${(f)"$(_recordproof_values $values)"}); fi
  if [[ \${words[CURRENT]} == -* ]]; then _describe -o flag flags_here
  elif (( \${#words_here} )); then _describe command words_here
  else _files
  fi
}
if [[ \${funcstack[1]} == _recordproof ]]; then _recordproof "$@"; else compdef _recordproof recordproof; fi
`;
}
