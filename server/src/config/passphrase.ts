// Validation of the backup passphrase.
const fewestCharacters = 12;

/** The error in a backup passphrase, or null. */
export const rejectPassphrase = (passphrase: string): string | null =>
  [...passphrase].length < fewestCharacters ? `must have at least ${fewestCharacters} characters` : null;
