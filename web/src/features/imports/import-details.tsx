import type { Import } from '@portico/contract/imports'
import { Box, Code } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatDate, formatFileSize, formatNumber } from '#lib/formats.ts'
import { formatPercent, isRunning, jobTiming } from '#domain/job-lists'
import { ExplainedTerm } from '#ui/feedback/explained-term.tsx'
import { type Definition, DefinitionList } from '#ui/page/definition-list.tsx'
import { NameList } from '#ui/page/name-list.tsx'
import { figureMeanings } from './figure-meanings.ts'
import { phaseText, setAsideText } from './import-progress.ts'
import { readingKey, readingTexts, typeNames } from './new-import/column-reading.ts'
import { delimiterNames, mismatchTexts, scopeNames } from './new-import/new-import-rules.ts'
import { ReportLink } from './report-link.tsx'
import { UndoOutcome } from './undo-outcome.tsx'
import { undoText } from './undo-texts.ts'

/** Content of an import's expanded row: every detail of specification 3 §2.1, and the outcome of its rows. */
export function ImportDetails({ item }: { item: Import }) {
  return (
    <>
      <DefinitionList items={[...resultItems(item), ...undoItems(item), ...settingItems(item), ...listItems(item)]} />
      {item.undo?.status === 'completed' && (
        <Box mt="md">
          <UndoOutcome item={item} />
        </Box>
      )}
    </>
  )
}

function undoItems(item: Import): Definition[] {
  const { undo, kind, undoUntil } = item
  if (kind === 'events') return [{ term: 'Undo', value: 'Imports of events cannot be taken back yet.' }]
  if (undo) {
    const when = formatDate(undo.lastActivityDate ?? undo.requestDate)
    return [
      { term: 'Undo', value: [`${undoText(item)}, by ${undo.by}, ${when}`, undo.reason].filter(Boolean).join('. ') },
    ]
  }
  return undoUntil === null ? [] : [{ term: 'Undo', value: `possible until ${formatDate(undoUntil)}` }]
}

const yesNo = (value: boolean): string => (value ? 'Yes' : 'No')

const explained = (term: string, value: ReactNode, meaning: string): Definition => ({
  term,
  value,
  heading: <ExplainedTerm term={term} meaning={meaning} />,
})

function resultItems(item: Import): Definition[] {
  const timing = jobTiming(item)
  const meanings = figureMeanings(item.kind)
  return [
    explained('Created', formatNumber(item.createdRecords), meanings.created),
    ...(item.kind === 'events'
      ? []
      : [
          explained('Updated', formatNumber(item.updatedRecords), meanings.updated),
          explained('Unchanged', formatNumber(item.unchangedRecords), meanings.unchanged),
        ]),
    explained('Rows Set Aside', formatNumber(item.setAsideRecords), meanings.setAside),
    explained('Cells Set Aside', formatNumber(item.setAsideCells), meanings.setAsideCells),
    ...(setAsideText(item) === null ? [] : [{ term: 'Report', value: <ReportLink item={item} /> }]),
    explained('Empty Rows Skipped', formatNumber(item.emptyRecords), meanings.empty),
    ...(isRunning(item)
      ? [
          { term: 'Phase', value: phaseText(item.phase) },
          { term: 'Progress', value: formatPercent(item.phaseProgress) },
        ]
      : []),
    { term: 'Processing Time', value: timing?.time },
    { term: 'Speed', value: timing?.speed },
    { term: 'Recovery Count', value: formatNumber(item.recoveryCount) },
    { term: 'Recovery Error', value: item.recoveryError },
  ]
}

function settingItems(item: Import): Definition[] {
  return [...(item.kind === 'events' ? keyItems(item) : contactItems(item)), ...fileItems(item)]
}

function keyItems(item: Import): Definition[] {
  return [
    { term: 'Kind', value: 'Events' },
    { term: 'Key Column', value: item.keyColumn },
    { term: 'Contact Field', value: item.keyField },
  ]
}

function contactItems(item: Import): Definition[] {
  return [
    { term: 'Kind', value: 'Contacts' },
    { term: 'Generate PURL', value: yesNo(item.generatePURL) },
    { term: 'Same PURL for Same Contact', value: yesNo(item.dedupHashMatching) },
    { term: 'PURL Generation Scope', value: scopeNames[item.purlGenerationScope] },
    { term: 'PURL Start', value: formatDate(item.purlStartDate) },
    { term: 'PURL Columns', value: item.purlColumns.join(', ') },
    { term: 'Dedup Columns', value: item.dedupColumns.join(', ') },
    { term: 'Latitude Column', value: item.latitudeColumn },
    { term: 'Longitude Column', value: item.longitudeColumn },
    { term: 'Auto Export', value: yesNo(item.exportOnImportCompletion) },
  ]
}

function fileItems(item: Import): Definition[] {
  return [
    { term: 'Cast Types', value: yesNo(item.typeCasting) },
    { term: 'Cells That Do Not Fit', value: mismatchTexts[item.onMismatch] },
    { term: 'Batch Size', value: `${item.processBatchSize} thousand` },
    // Has no effect for a workbook.
    { term: 'File Delimiter', value: item.fileSheet === null ? delimiterNames[item.fileDelimiter] : null },
    ...(item.fileSheet === null ? [] : [{ term: 'Sheet', value: item.fileSheet }]),
    { term: 'Header Line', value: item.headerLine === null ? 'First row with a value' : formatNumber(item.headerLine) },
    { term: 'Name Columns', value: yesNo(item.nameColumns) },
    { term: 'File Path', value: `${item.filePath} (${formatFileSize(item.fileSize)})` },
    { term: 'DB Name', value: item.databaseName },
    { term: 'Notification Emails', value: item.notificationEmails.join(', ') },
    { term: 'Created By', value: item.creator },
    { term: 'Id', value: <Code>{item._id}</Code> },
  ]
}

function listItems({ header, columnMapping, onMismatchByField, columnTypes }: Import): Definition[] {
  const types = Object.entries(columnTypes).map(([column, reading]) =>
    [`${column}: ${typeNames[reading.type]}`, readingTexts[readingKey(reading)]].filter(Boolean).join(', '),
  )
  const chosen = Object.entries(onMismatchByField).map(([field, choice]) => `${field}: ${mismatchTexts[choice]}`)
  const mapped = Object.entries(columnMapping ?? {}).map(([from, to]) => `${from} → ${to ?? 'left out'}`)
  return [
    ...(mapped.length > 0 ? [{ term: 'Column Mapping', value: <NameList names={mapped} />, isWide: true }] : []),
    ...(types.length > 0 ? [{ term: 'Column Types', value: <NameList names={types} />, isWide: true }] : []),
    ...(chosen.length > 0
      ? [{ term: 'Cells That Do Not Fit, by Field', value: <NameList names={chosen} />, isWide: true }]
      : []),
    {
      term: `Header (${formatNumber(header.length)})`,
      value: <NameList names={header} />,
      isWide: true,
      key: 'header',
    },
  ]
}
