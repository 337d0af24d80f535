/** Text as it is inside a pattern of `like … escape '\'`: a wildcard somebody typed is an ordinary character. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
