// Escaping of text for a pattern of `like … escape '\'`, so that wildcards in it are ordinary characters.
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
