import { foldName } from '@portico/domain/names'
import { useEffect, useMemo, useRef } from 'react'
import type { NewImportForm } from './new-import-form-state.ts'
import type { ColumnField, Locks, NewImportValues } from './new-import-rules.ts'

type ColumnSettings = Pick<NewImportValues, ColumnField>

/** Names of the columns that a setting began with and that the file lacks. */
export type LeftOutColumns = Partial<Record<ColumnField, string[]>>

/**
 * Leaves out, of the columns that the form inherited from the last import, those that the file lacks, unless the user
 * has changed the setting or it is locked. They return with a file that has them, or once a column is mapped to them.
 * Returns those left out.
 *
 * @param start the settings that the form began with
 * @param known the names that settings may contain; null while they are unknown. Must keep its identity.
 */
export function useCarriedColumns(
  form: NewImportForm,
  start: ColumnSettings,
  known: readonly string[] | null,
  locks: Locks,
): LeftOutColumns {
  const { getValues, setValues } = form
  const { purlColumns: isPurlLocked, dedupColumns: isDedupLocked } = locks
  const carried = useMemo(
    () => [
      ...placeFields,
      ...(isPurlLocked ? [] : ['purlColumns' as const]),
      ...(isDedupLocked ? [] : ['dedupColumns' as const]),
    ],
    [isPurlLocked, isDedupLocked],
  )
  // As set here before; other values were chosen by the user.
  const kept = useRef<ColumnSettings>(start)
  useEffect(() => {
    const before = kept.current
    const now = keptColumns(start, known)
    kept.current = now
    const values = getValues()
    const changed = carried.filter(
      (field) => isSame(values[field], before[field]) && !isSame(values[field], now[field]),
    )
    if (changed.length > 0) setValues(Object.fromEntries(changed.map((field) => [field, now[field]])))
  }, [start, known, carried, getValues, setValues])
  const { values } = form
  return useMemo(() => leftOutColumns(start, values, known, carried), [start, values, known, carried])
}

const placeFields = ['latitudeColumn', 'longitudeColumn'] as const

/** The settings without the columns that are not known; a place needs both of its columns. */
export function keptColumns(start: ColumnSettings, known: readonly string[] | null): ColumnSettings {
  if (known === null) return start
  const isKnown = lookUp(known)
  const hasPlace = placeFields.every((field) => isKnown(start[field]))
  return {
    purlColumns: start.purlColumns.filter(isKnown),
    dedupColumns: start.dedupColumns.filter(isKnown),
    latitudeColumn: hasPlace ? start.latitudeColumn : '',
    longitudeColumn: hasPlace ? start.longitudeColumn : '',
  }
}

function leftOutColumns(
  start: ColumnSettings,
  values: ColumnSettings,
  known: readonly string[] | null,
  fields: readonly ColumnField[],
): LeftOutColumns {
  if (known === null) return {}
  const isKnown = lookUp(known)
  const missing = fields.map((field) => {
    const chosen = lookUp([values[field]].flat())
    return [field, [start[field]].flat().filter((name) => name !== '' && !isKnown(name) && !chosen(name))] as const
  })
  return Object.fromEntries(missing.filter(([, names]) => names.length > 0))
}

const lookUp = (names: readonly string[]): ((name: string) => boolean) => {
  const folded = new Set(names.map(foldName))
  return (name) => folded.has(foldName(name))
}

const isSame = (one: string | readonly string[], other: string | readonly string[]): boolean =>
  [one].flat().join('\n') === [other].flat().join('\n')

/** The note at the file, for all settings; null if nothing was left out. */
export function allLeftOutNote(leftOut: LeftOutColumns): string | null {
  const names = [...new Set(Object.values(leftOut).flat())]
  return names.length > 0 ? `Left out of the settings, as this file has no such columns: ${inQuotes(names)}.` : null
}

const inQuotes = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

/** The note at a setting from which columns were left out; null if there are none. */
export const leftOutNote = (names: readonly string[] | undefined): string | null =>
  names ? `Left out for this file, which has no such column: ${inQuotes(names)}.` : null
