import { fieldNameMaxLength, type FieldType, internalFieldNames } from '@portico/contract/contacts'
import {
  type ColumnEffect,
  effectOf,
  loadedTypeOf,
  type Misfits,
  misfitsOf,
  mismatchChoice,
  type PreviewColumn,
} from '@portico/contract/import-preview'
import type { ColumnReading, ColumnTypes, MismatchByField, MismatchChoice } from '@portico/contract/imports'
import { messages } from '@portico/contract/messages'
import { findByName, foldName, isSameName, tidyName } from '@portico/domain/names'
import { eventPrefix } from '@portico/domain/pipeline/pipeline'
import { isUsualReading, previewedReading, readingOf, type ReadingOptions } from './column-reading.ts'

/** Column name → the field that it feeds, or null if it is left out. Columns not listed keep their names. */
export type ColumnMapping = Record<string, string | null>

/** An existing field of contacts. */
export type KnownField = { name: string; type: FieldType }

/** Target field of a column; null if it is left out. */
export function targetOf(column: PreviewColumn, mapping: ColumnMapping): string | null {
  const target = mapping[column.name]
  return target === undefined ? usualTarget(column) : target
}

/** Default target of a column: none for columns of a report or built-in ones, as in an export. */
const usualTarget = ({ name, isReport }: PreviewColumn): string | null => (isReport || isInternal(name) ? null : name)

/** The mapping with another target for one column; a default target is not stored. */
export function withTarget(mapping: ColumnMapping, column: PreviewColumn, target: string | null): ColumnMapping {
  const { [column.name]: _before, ...others } = mapping
  return target === usualTarget(column) ? others : { ...others, [column.name]: target }
}

/** Accepts every suggested field for columns that the user has not mapped. */
export const withSuggestions = (mapping: ColumnMapping, columns: readonly PreviewColumn[]): ColumnMapping =>
  columns.reduce(
    (now, column) => (isSuggested(column, now) ? withTarget(now, column, column.suggestion.name) : now),
    mapping,
  )

/** The fields that the preview itself contains, for users who may not see all of them. */
export const previewedFields = (columns: readonly PreviewColumn[]): KnownField[] =>
  columns.flatMap(({ field, suggestion }) => [field, suggestion].filter((one) => one !== null))

/** Whether another field is suggested for a column. */
export const isSuggested = (
  column: PreviewColumn,
  mapping: ColumnMapping,
): column is PreviewColumn & { suggestion: KnownField } =>
  column.suggestion !== null && targetOf(column, mapping) === column.name

/** Effect of loading a column; null if it is left out, or named like a field of events and cannot be loaded. */
export function outcomeOf(column: PreviewColumn, target: string | null, options: OutcomeOptions): ColumnOutcome | null {
  if (target === null || isOfEvents(target)) return null
  const field = findByName(options.fields, ({ name }) => name)(tidyName(target)) ?? null
  const choice = mismatchChoice({ onMismatchByField: options.choices }, target)
  const reading = readingOf(column, field, options)
  const read = {
    reading,
    isUnsure: reading?.type === column.suggestedReading?.type && column.isAmbiguous && !options.types[column.name],
    before: field?.type ?? null,
    choice,
  }
  if (reading) {
    const misfits = previewedReading(column, reading)?.misfits ?? misfitsOf(column, reading)
    return { ...read, effect: field ? 'kept' : 'added', type: reading.type, misfits }
  }
  return {
    ...read,
    effect: effectOf(column, field, choice),
    type: loadedTypeOf(column, field, { typeCasting: options.typeCasting, choice }),
    misfits: misfitsOf(column, field),
  }
}

export type OutcomeOptions = ReadingOptions & { fields: readonly KnownField[]; choices: MismatchByField }

export type ColumnOutcome = {
  effect: ColumnEffect
  type: FieldType
  before: FieldType | null
  /** How its cells are read; null for the default. */
  reading: ColumnReading | null
  /** There are two readings of all cells, and the user has chosen neither. */
  isUnsure: boolean
  /** Misfits in the sample, and what happens to them. */
  misfits: Misfits
  choice: MismatchChoice
}

/** The choices for the call: for fields with misfits, where they differ from the default. */
export function choicesOf(
  columns: readonly PreviewColumn[],
  mapping: ColumnMapping,
  options: OutcomeOptions,
): MismatchByField {
  const entries = columns.flatMap((column): [string, MismatchChoice][] => {
    const target = targetOf(column, mapping)
    const outcome = outcomeOf(column, target, options)
    return target !== null && outcome && outcome.misfits.cells > 0 && outcome.choice !== 'cell'
      ? [[target.trim(), outcome.choice]]
      : []
  })
  return Object.fromEntries(entries)
}

/** The readings for the call: those chosen, and those that an import does not detect by itself. */
export function typesOf(
  columns: readonly PreviewColumn[],
  mapping: ColumnMapping,
  options: OutcomeOptions,
): ColumnTypes {
  const entries = columns.flatMap((column): [string, ColumnReading][] => {
    const reading = outcomeOf(column, targetOf(column, mapping), options)?.reading
    if (!reading) return []
    return options.types[column.name] || !isUsualReading(column, reading) ? [[column.name, reading]] : []
  })
  return Object.fromEntries(entries)
}

/** Problems of the targets by column; `needed` names columns or fields that a setting requires. */
export function mappingProblems(
  columns: readonly PreviewColumn[],
  mapping: ColumnMapping,
  needed: readonly string[] = [],
): Record<string, string> {
  const targets = columns.map((column) => ({ name: column.name, target: targetOf(column, mapping) }))
  const kept = targets.flatMap(({ target }) => (target === null ? [] : [foldName(target)]))
  const found = targets.flatMap(({ name, target }): [string, string][] => {
    if (target === null) {
      const isNeeded = needed.some((one) => isSameName(one, name)) && !kept.includes(foldName(name))
      return isNeeded ? [[name, 'A setting of this import needs this column.']] : []
    }
    if (target.trim() === '') return [[name, messages.required]]
    if (isOfEvents(target)) return [[name, 'Names that begin with "events." are those of event fields.']]
    if (isInternal(target) || Array.from(target).length > fieldNameMaxLength) return [[name, messages.notAllowed]]
    return kept.filter((one) => one === foldName(target)).length > 1 ? [[name, messages.duplicate]] : []
  })
  if (columns.length > 0 && kept.length === 0) found.push([columns[0]?.name ?? '', 'Keep at least one column.'])
  return Object.fromEntries(found)
}

const isOfEvents = (name: string): boolean => foldName(name).startsWith(eventPrefix)

/** Columns whose targets are named like fields of events. */
export const eventColumns = (columns: readonly PreviewColumn[], mapping: ColumnMapping): PreviewColumn[] =>
  columns.filter((column) => isOfEvents(targetOf(column, mapping) ?? ''))

const isInternal = (name: string): boolean => internalFieldNames.some((one) => isSameName(one, name))

/**
 * The mapping for the call: only columns of the file, names trimmed; nothing if no column is mapped. The server leaves
 * out a report's columns by itself, built-in ones only on request.
 */
export function mappingOf(mapping: ColumnMapping, columns: readonly PreviewColumn[]): ColumnMapping | null {
  const entries = columns.flatMap(({ name }): [string, string | null][] => {
    const target = mapping[name] === undefined && isInternal(name) ? null : mapping[name]
    return target === undefined ? [] : [[name, target === null ? null : target.trim()]]
  })
  return entries.length > 0 ? Object.fromEntries(entries) : null
}
