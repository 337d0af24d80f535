// Table of records with the same fields. Where rows can be opened, the first cell of a row does it; narrow screens hide minor fields.
import type { ReactNode } from 'react';

type Column<T> = {
  readonly name: string;
  readonly cell: (row: T) => ReactNode;
  readonly isMinor?: boolean;
  /** Digits of equal width. */
  readonly isNumber?: boolean;
};

type Row = { readonly id: string };

/** The rows of a table that can be opened. */
export type OpenRows<T extends Row> = {
  readonly rows: readonly T[];
  /** The id of the one that is open. */
  readonly opened: string | null;
  readonly onOpen: (row: T) => void;
};

type TableProps<T extends Row> = Pick<OpenRows<T>, 'rows'> &
  Partial<OpenRows<T>> & { readonly label: string; readonly columns: readonly Column<T>[] };

export function Table<T extends Row>({ label, columns, rows, opened, onOpen }: TableProps<T>) {
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
          <tr key={row.id} className={row.id === opened ? 'opened' : ''}>
            {columns.map((column, at) => (
              <td key={column.name} {...toProps(column)}>
                {at > 0 || !onOpen ? (
                  toCell(column, row)
                ) : (
                  <button type="button" className="open" aria-expanded={row.id === opened} onClick={() => onOpen(row)}>
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
