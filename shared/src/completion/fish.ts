// Completion script for fish.
import { type Completion, listValued, type Position } from './position.ts';

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** The function that fish calls at every position, without the underscores required by bash and zsh. */
const testOf = (program: string): string => `__${program.replaceAll('-', '_')}_at`;

const passedOf = (program: string): string => `__${program.replaceAll('-', '_')}_passed`;

/** Prints the passed-on flags and their values, one word per line. */
const toPassed = (program: string, passedOn: readonly string[]): string => `function ${passedOf(program)}
  set -l words (commandline -opc)
  for i in (seq 2 (math (count $words) - 1))
    if contains -- $words[$i] ${passedOn.join(' ')}
      printf '%s\\n' $words[$i] $words[(math $i + 1)]
    end
  end
end
`;

function toLines({ program, passedOn = [] }: Completion, { path, next, flags, values, takesFile }: Position): string[] {
  const rest = passedOn.length === 0 ? '' : ` (${passedOf(program)})`;
  const toQuestion = (subject: string) => `(${program} completion values ${subject}${rest} 2>/dev/null </dev/null)`;
  const here = `complete -c ${program} -n ${quote(`${testOf(program)} ${quote(path)}`)}`;
  const alone = takesFile === true ? '' : ' -f';
  const words = next.map(
    ({ word, summary }) => `${here}${alone} -a ${quote(word)}${summary && ` -d ${quote(summary)}`}`,
  );
  const names = flags.map(({ word, summary, takesValue, asks }) => {
    const value = `${takesValue ? (asks === undefined ? ' -r' : ' -x') : ''}`;
    const answers = asks === undefined ? '' : ` -a ${quote(toQuestion(asks))}`;
    return `${here} -l ${word.slice(2)}${value}${answers} -d ${quote(summary)}`;
  });
  const valueLines = values === undefined ? [] : [`${here} -f -a ${quote(toQuestion(values))}`];
  return [...words, ...valueLines, ...names];
}

export function toFish(completion: Completion): string {
  const { program, positions, passedOn = [] } = completion;
  return `# fish completion for ${program}
function ${testOf(program)}
  set -l spoken
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
    else if contains -- $word ${[...listValued(completion).keys()].join(' ')}
      set skip 1
    else if not string match -q -- '-*' $word
      set -a spoken $word
    end
  end
  test "$spoken" = "$argv[1]"
end
${passedOn.length === 0 ? '' : toPassed(program, passedOn)}${positions.flatMap(position => toLines(completion, position)).join('\n')}
`;
}
