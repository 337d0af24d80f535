// Device name from the user agent: program and system, as "Firefox, Linux". It helps people tell their sessions apart
// and is never used for access decisions, because a client can send any user agent.
const programs: readonly (readonly [RegExp, string])[] = [
  [/^recordproof-desktop\//, 'RecordProof desktop app'],
  [/^recordproof-verify\//, 'RecordProof verifier'],
  [/^recordproof\//, 'RecordProof command line'],
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bmacOS\b|\bDarwin\b/i, 'macOS'],
  [/\bLinux\b/i, 'Linux'],
];

const longest = 300;

const find = (table: readonly (readonly [RegExp, string])[], text: string): string | undefined =>
  table.find(([pattern]) => pattern.test(text))?.[1];

/** For an unknown program, the first word without its version. Empty without a user agent. */
export function toDevice(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, longest);
  const first = /^[A-Za-z0-9._-]{1,40}/.exec(text)?.[0];
  return [find(programs, text) ?? first, find(systems, text)].filter(part => part !== undefined).join(', ');
}
