// Media types for files opened by others: none that a browser executes, applies or renders.

const activeTypes = [
  /^(?:text|application)\/(?:x-)?(?:java|ecma|j|live)script(?:1\.\d)?$/,
  /^text\/(?:css|html|xsl|x-component|cache-manifest)$/,
  /^application\/(?:wasm|xml-dtd)$/,
  /[/+]xml$/,
  /^multipart\//,
  /^message\//,
];

export function toInertType(contentType: string): string {
  const essence = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return activeTypes.some(type => type.test(essence)) ? 'application/octet-stream' : contentType;
}
