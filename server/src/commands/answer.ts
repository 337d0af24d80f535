// Output of a command on standard output: text for people, or with --json one JSON document for programs.

export const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export type Answer = { readonly json: unknown; readonly text: string };

export const answer = (asJson: boolean | undefined, { json, text }: Answer): void =>
  void process.stdout.write(asJson ? toJson(json) : text);
