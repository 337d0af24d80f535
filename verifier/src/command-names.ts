// The names of all commands but `verify`, without their code.
const otherCommandNames = [
  'certificate',
  'existence',
  'receipt',
  'audit',
  'serve',
  'page',
  'gateway',
  'witness',
  'completion',
] as const;

export type OtherCommandName = (typeof otherCommandNames)[number];

export const isOtherCommandName = (text: string): text is OtherCommandName =>
  (otherCommandNames as readonly string[]).includes(text);
