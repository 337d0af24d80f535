// Names of the contract's numeric codes, in lower case.
type Codes = Readonly<Record<string, number>>;

export const namesOf = (codes: Codes): string[] => Object.keys(codes).map(name => name.toLowerCase());

export const nameOfCode = (codes: Codes, code: number): string =>
  Object.entries(codes)
    .find(([, value]) => value === code)?.[0]
    .toLowerCase() ?? String(code);

/** The code of a name that `namesOf` lists. */
export const codeOf = <const C extends Codes>(codes: C, name: string): C[keyof C] =>
  codes[name.toUpperCase()] as C[keyof C];
