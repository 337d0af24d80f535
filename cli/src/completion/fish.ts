import type { Position } from './words.ts';

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const toQuestion = (values: string): string => `(recordproof completion values ${values} 2>/dev/null </dev/null)`;

export function toFish(positions: readonly Position[]): string {
  const lines = positions.flatMap(({ path, next, flags, values }) => {
    const here = `complete -c recordproof -n ${quote(`__recordproof_at ${quote(path)}`)}`;
    const words = next.map(({ word, summary }) => `${here} -f -a ${quote(word)}${summary && ` -d ${quote(summary)}`}`);
    const names = flags.map(
      flag =>
        `${here} -l ${flag.word.slice(2)}${flag.takesValue ? ' -x' : ''}${flag.word === '--profile' ? ` -a ${quote(toQuestion('profiles'))}` : ''} -d ${quote(flag.summary)}`,
    );
    const asked = values === undefined ? [] : [`${here} -f -a ${quote(toQuestion(values))}`];
    return [...words, ...asked, ...names];
  });
  const valued = [
    ...new Set(positions.flatMap(({ flags }) => flags.filter(flag => flag.takesValue)).map(flag => flag.word)),
  ];
  return `# fish completion for recordproof
function __recordproof_at
  set -l spoken
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
    else if contains -- $word ${valued.join(' ')}
      set skip 1
    else if not string match -q -- '-*' $word
      set -a spoken $word
    end
  end
  test "$spoken" = "$argv[1]"
end
${lines.join('\n')}
`;
}
