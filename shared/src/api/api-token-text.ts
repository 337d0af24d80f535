// The text of an API token: `rpt_`, 30 random characters, and 6 checksum characters. Secret scanners recognise it, and
// a typing error is found without asking a server.
import { crc32 } from '#primitives';

export const apiTokenPrefix = 'rpt_';
/** 178 bits. */
export const apiTokenSecretLength = 30;
const checksumLength = 6;
/** The prefix and four characters, to distinguish tokens. */
export const apiTokenHintLength = apiTokenPrefix.length + 4;

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = new RegExp(`^${apiTokenPrefix}[0-9A-Za-z]{${apiTokenSecretLength + checksumLength}}$`);
const encoder = new TextEncoder();

/** CRC-32 in base 62. */
function checksum(secret: string): string {
  let text = '';
  for (let rest = crc32(encoder.encode(secret)); text.length < checksumLength; rest = Math.floor(rest / 62))
    text = digits[rest % 62] + text;
  return text;
}

export const toApiTokenText = (secret: string): string => `${apiTokenPrefix}${secret}${checksum(secret)}`;

/** Whether prefix, length and checksum are right. */
export function isApiTokenText(text: string): boolean {
  if (!form.test(text)) return false;
  const end = apiTokenPrefix.length + apiTokenSecretLength;
  return checksum(text.slice(apiTokenPrefix.length, end)) === text.slice(end);
}
