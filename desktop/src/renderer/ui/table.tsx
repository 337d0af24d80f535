// Table of records with the same fields. Where rows can be opened, the first cell of a row does it; narrow screens hide minor fields.
import type { ReactNode } from 'react';

type Column<T> = {
  readonly name: string;
  readonly cell: (row: T) => ReactNode;
  readonly isMinor?: boolean;
  /** Digits of equal width. */
  readonly isNumber?: boolean;
};

type TableProps<T> = {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** The key of the one that is open. */
  readonly opened?: string | null;
  readonly onOpen?: (row: T) => void;
};

export function Table<T>({ label, columns, rows, keyOf, opened, onOpen }: TableProps<T>) {
  const toCell = ({ cell, isNumber }: Column<T>, row: T) =>
    isNumber ? <span className="number">{cell(row)}</span> : cell(row);
  const toProps = ({ isMinor }: Column<T>) => ({ ...(isMinor && { className: 'minor' }) });
  return (
    <table className="table" aria-label={label}>
      <thead>
        <tr>
          {columns.map(column => (
            <th key={column.name} scope="col" {...toProps(column)}>
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={keyOf(row)} className={keyOf(row) === opened ? 'opened' : ''}>
            {columns.map((column, at) => (
              <td key={column.name} {...toProps(column)}>
                {at > 0 || !onOpen ? (
                  toCell(column, row)
                ) : (
                  <button
                    type="button"
                    className="open"
                    aria-expanded={keyOf(row) === opened}
                    onClick={() => onOpen(row)}
                  >
                    {toCell(column, row)}
                  </button>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
