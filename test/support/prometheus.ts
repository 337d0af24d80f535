// A strict parser of the Prometheus text format: every sample belongs to a family with help and type, no series occurs
// twice, labels and numbers are well formed.

export type Family = { readonly help: string; readonly type: string; readonly samples: Map<string, number> };

const suffixes: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

const sampleLine = /^([a-zA-Z_:][\w:]*)(\{[^}]*\})? (NaN|[+-]?Inf|[-+]?[0-9.]+(?:e[-+]?[0-9]+)?)$/;
const labelList = /^\{[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\n"])*"(?:,[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\n"])*")*\}$/;

export function parseMetrics(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the text does not end with a line break');
  const families = new Map<string, Family>();
  const helps = new Map<string, string>();
  let family: [string, Family] | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') helps.set(name, rest);
    else if (keyword === 'TYPE') {
      const help = helps.get(name);
      if (help === undefined || families.has(name) || !suffixes[rest]) throw new Error(`bad family: ${line}`);
      family = [name, { help, type: rest, samples: new Map() }];
      families.set(...family);
    } else addSample(line, family);
  }
  return families;
}

function addSample(line: string, family: [string, Family] | undefined): void {
  const [, name, labels = '', value] = sampleLine.exec(line) ?? [];
  if (name === undefined || !family) throw new Error(`no sample: ${line}`);
  const [base, { type, samples }] = family;
  if (!suffixes[type]?.some(suffix => base + suffix === name)) throw new Error(`${name} stands under ${base}`);
  if (labels !== '' && !labelList.test(labels)) throw new Error(`bad labels: ${line}`);
  if (samples.has(name + labels)) throw new Error(`twice: ${line}`);
  samples.set(name + labels, Number(value?.replace('Inf', 'Infinity')));
}
