// One bounded line about an error, fit for storage: rows outlive logs and are shown to administrators, also on
// terminals. Control characters and anything that looks like a secret are removed, rather too much: the log has the
// whole error.

const maxLength = 500;

const secrets: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/(:\/\/)[^\s/@]*@/g, '$1(cut)@'],
  [/([?&][^=\s&]{1,64}=)[^\s&#"']+/g, '$1(cut)'],
  [/\b(bearer|basic)\s+\S+/gi, '$1 (cut)'],
  [
    /((?:password|passwd|token|secret|authorization|cookie|api[-_]?key|private[-_]?key)["']?\s*[=:]\s*)\S+/gi,
    '$1(cut)',
  ],
  [/(?<![\w/+.-])[A-Za-z0-9+_-][A-Za-z0-9+/_.-]{39,}={0,2}/g, '(cut)'],
];

export function toErrorText(error: unknown): string {
  const { name, code, message } =
    error instanceof Error ? describe(error) : { name: '', code: '', message: `${error}` };
  const head = [name === 'Error' ? '' : name, code].filter(part => part !== '').join(' ');
  let text = (head === '' ? message : `${head}: ${message}`).replace(/[\s\p{Cc}]+/gu, ' ').slice(0, maxLength * 4);
  for (const [pattern, replacement] of secrets) text = text.replace(pattern, replacement);
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

function describe(error: Error): { name: string; code: string; message: string } {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { name: error.name, code, message: error.message };
}
