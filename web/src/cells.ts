// Rows of a result's tables for figures: numbers that are there and finite, or null.

import type { Table, Value } from "./data";

export function number(value: Value | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export class Rows {
  readonly length: number;
  constructor(private readonly table: Table) {
    this.length = table.columns[0]?.values.length ?? 0;
  }

  has(...keys: string[]): boolean {
    return keys.every((key) => this.table.columns.some((column) => column.key === key));
  }

  number(key: string, row: number): number | null {
    return number(this.table.columns.find((column) => column.key === key)?.values[row]);
  }

  text(key: string, row: number): string {
    const value = this.table.columns.find((column) => column.key === key)?.values[row];
    return typeof value === "string" ? value : value === null || value === undefined ? "" : String(value);
  }

  /** The rows that a condition takes. */
  where(condition: (row: number) => boolean): number[] {
    return Array.from({ length: this.length }, (_, row) => row).filter(condition);
  }
}
