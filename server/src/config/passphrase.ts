const fewestCharacters = 12;

/** What is wrong with the passphrase of a backup, or null. */
export const refusePassphrase = (passphrase: string): string | null =>
  [...passphrase].length < fewestCharacters ? `must have at least ${fewestCharacters} characters` : null;
