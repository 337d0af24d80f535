import { type ReactNode, useRef } from 'react';

type Choosing = {
  readonly onFiles: (files: File[]) => void;
  readonly children: ReactNode;
  readonly look?: 'plain' | 'bare';
  readonly many?: boolean;
  readonly folder?: boolean;
  readonly label?: string;
};

/** A button that opens the system's dialog for files, or for a folder. */
export function FileButton({ onFiles, children, look, many = false, folder = false, label }: Choosing) {
  const input = useRef<HTMLInputElement>(null);
  const take = () => {
    const { current } = input;
    if (!current?.files) return;
    onFiles([...current.files]);
    current.value = ''; // so that the same file can be chosen again
  };
  return (
    <>
      <button type="button" {...(look && { className: look })} onClick={() => input.current?.click()}>
        {children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={many}
        onChange={take}
        aria-label={label}
        {...(folder && { webkitdirectory: '' })}
      />
    </>
  );
}
