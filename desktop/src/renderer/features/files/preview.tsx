// Preview of a file: small ones at once, others on request.
import type { File } from '@recordproof/shared/api/files.ts';
import { useState } from 'react';
import { useBridge, useSay } from '../../context.ts';
import { BytesImage } from '../../ui/bytes-image.tsx';
import { useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { Pdf } from './pdf.tsx';
import { mediaTypeOf, mostPreviewBytes, mostTextCharacters, type PreviewKind, previewKindOf } from './preview-kinds.ts';

const unaskedBytes = 2 * 1024 * 1024;

export function Preview({ file }: { readonly file: File }) {
  const { file: say } = useSay();
  const kind = previewKindOf(file.contentType, file.fileSize);
  const [isWanted, setWanted] = useState(file.fileSize <= unaskedBytes);
  if (!kind) return null;
  return (
    <section>
      <h3>{say.preview}</h3>
      {isWanted ? (
        <Shown file={file} kind={kind} />
      ) : (
        <button type="button" className="plain" onClick={() => setWanted(true)}>
          {say.show}
        </button>
      )}
    </section>
  );
}

function Shown({ file, kind }: { readonly file: File; readonly kind: PreviewKind }) {
  const say = useSay();
  const { downloads } = useBridge();
  const { state } = useLoad(file.fileHash, signal =>
    downloads.read({ fileHash: file.fileHash, maxBytes: mostPreviewBytes }, signal),
  );
  if (state.kind === 'loading') return <p className="quiet small">{say.loading}</p>;
  if (state.kind === 'failed') return <Problem error={state.error} />;
  if (kind === 'picture')
    return (
      <BytesImage
        bytes={state.value}
        type={mediaTypeOf(file.contentType)}
        name={file.fileName}
        otherwise={<p className="quiet small">{say.file.noPreview}</p>}
      />
    );
  if (kind === 'pdf') return <Pdf bytes={state.value} name={file.fileName} />;
  const text = new TextDecoder().decode(state.value.subarray(0, mostTextCharacters * 4)).slice(0, mostTextCharacters);
  return (
    <div className="preview">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}
