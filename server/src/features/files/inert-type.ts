// Media types of files that strangers may open: none under which a browser runs, applies or renders what it gets.

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
