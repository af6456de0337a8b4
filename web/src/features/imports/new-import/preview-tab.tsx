import type { ImportPreview } from '@portico/contract/import-preview'
import type { ImportDelimiter } from '@portico/contract/imports'
import { Alert, Button, Center, Group, Loader, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconInfoCircle from '#icons/IconInfoCircle'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatNumber } from '#lib/formats.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import {
  type ColumnOutcome,
  eventColumns,
  isSuggested,
  outcomeOf,
  type OutcomeOptions,
  previewedFields,
  targetOf,
  withSuggestions,
  withTarget,
} from './column-mapping.ts'
import { EventColumns } from '../events/event-columns.tsx'
import { HeaderPanel } from './header-panel.tsx'
import type { ImportFile } from './import-file.ts'
import type { useImportPreview } from '../imports-queries.ts'
import { useKnownFields } from './known-fields.ts'
import { MappingTable } from './mapping-table.tsx'
import type { NewImportForm } from './new-import-form-state.ts'
import { delimiterNames } from './new-import-rules.ts'
import css from './preview-tab.module.css'

type PreviewTabProps = {
  form: NewImportForm
  preview: ReturnType<typeof useImportPreview>
  problems: Record<string, string>
  file: ImportFile
  /** The file has been sent: the portal can read it. */
  isSent: boolean
  isBusy: boolean
  onSend: () => void
  /** Imports the file as events instead. */
  onEvents: () => void
}

/** Previews the file's content and its effect before it is submitted. */
export function PreviewTab({ form, preview, problems, file, isSent, isBusy, onSend, onEvents }: PreviewTabProps) {
  const header = preview.data?.header ?? null
  const hasFile = file.file !== null
  const delimiter = header?.refusal ? otherDelimiterOf(form, file) : null
  const isRefused = isSent && (preview.isError || (header?.refusal ?? null) !== null)
  return (
    <Stack gap="sm" mih={{ base: 340, sm: 480 }}>
      {isRefused && <Refusal form={form} preview={preview} file={file} />}
      {/* Lines cut at the wrong places say nothing about the header. */}
      {header && isSent && delimiter === null && <HeaderPanel file={file} header={header} />}
      {isRefused ? null : preview.data && isSent ? (
        <Preview form={form} preview={preview.data} problems={problems} onEvents={onEvents} />
      ) : isSent || isBusy ? (
        <Center flex={1}>
          <Loader size={22} aria-label="Looking into the file" />
        </Center>
      ) : (
        <Center flex={1}>
          <Stack gap="xs" align="center">
            <Text size="sm" c="dimmed">
              {hasFile ? 'The file is sent first; nothing is imported before you submit.' : 'Choose a file first.'}
            </Text>
            {hasFile && <Button onClick={onSend}>Preview the file</Button>}
          </Stack>
        </Center>
      )}
    </Stack>
  )
}

/** The delimiter that the file seems to use; null if it is the chosen one, or unknown. */
const otherDelimiterOf = (form: NewImportForm, { likelyDelimiter }: ImportFile): ImportDelimiter | null =>
  likelyDelimiter === form.values.fileDelimiter ? null : likelyDelimiter

/** Why the file cannot be imported as it is, and the fix if it is known. */
function Refusal({ form, preview, file }: Pick<PreviewTabProps, 'form' | 'preview' | 'file'>) {
  const [problem] = isApiError(preview.error) ? preview.error.fieldProblems : []
  const message = preview.data?.header?.refusal ?? problem?.message
  if (message === undefined)
    return <FailureState message={messageOf(preview.error)} onRetry={() => void preview.refetch()} />
  const likely = otherDelimiterOf(form, file)
  return (
    <Alert
      color="red"
      role="alert"
      icon={<IconAlertTriangle size={18} />}
      title="The file cannot be imported like this"
      style={{ overflowWrap: 'anywhere' }}
    >
      {message}
      {likely && (
        <div>
          <Button variant="default" mt="xs" onClick={() => form.setFieldValue('fileDelimiter', likely)}>
            {`Use ${delimiterNames[likely]}`}
          </Button>
        </div>
      )}
    </Alert>
  )
}

type View = 'columns' | 'rows'

type PreviewProps = Pick<PreviewTabProps, 'form' | 'onEvents' | 'problems'> & { preview: ImportPreview }

function Preview({ form, preview, problems, onEvents }: PreviewProps) {
  const fields = useKnownFields() ?? previewedFields(preview.columns)
  const [view, setView] = useState<View>('columns')
  const { columnMapping: mapping, typeCasting, generatePURL, dedupColumns } = form.values
  const { onMismatchByField: choices, columnTypes: types } = form.values
  const options = { fields, typeCasting, choices, types }
  const ofEvents = eventColumns(preview.columns, mapping)
  const isAnySuggested = preview.columns.some((column) => isSuggested(column, mapping))
  const change = (next: typeof mapping): void => form.setFieldValue('columnMapping', next)
  return (
    <>
      <Group justify="space-between" gap="xs">
        <SegmentedControl<View>
          size="xs"
          aria-label="What to show of the file"
          value={view}
          onChange={setView}
          data={[
            { value: 'columns', label: `Columns (${formatNumber(preview.columns.length)})` },
            { value: 'rows', label: `First rows (${formatNumber(preview.rows.length)})` },
          ]}
        />
        {isAnySuggested && view === 'columns' && (
          <Button variant="default" onClick={() => change(withSuggestions(mapping, preview.columns))}>
            Use all suggestions
          </Button>
        )}
      </Group>
      <EventColumns
        columns={ofEvents.map(({ name }) => name)}
        onEvents={onEvents}
        onLeaveOut={() => change(ofEvents.reduce((now, column) => withTarget(now, column, null), mapping))}
      />
      <Summary preview={preview} mapping={mapping} options={options} />
      {view === 'columns' ? (
        <MappingTable
          preview={preview}
          options={options}
          keys={generatePURL ? dedupColumns : []}
          mapping={mapping}
          problems={withoutUntouched(problems, ofEvents, mapping)}
          onChange={change}
          onChoice={(field, choice) => form.setFieldValue('onMismatchByField', { ...choices, [field]: choice })}
          onReading={(column, reading) => form.setFieldValue('columnTypes', { ...types, [column]: reading })}
        />
      ) : (
        <RowTable preview={preview} />
      )}
    </>
  )
}

/** The problems to mark: columns of events are named above the table, and marked once they were given another name. */
const withoutUntouched = (
  problems: PreviewTabProps['problems'],
  ofEvents: readonly { name: string }[],
  mapping: NewImportForm['values']['columnMapping'],
): typeof problems => {
  const untouched = new Set(ofEvents.flatMap(({ name }) => (mapping[name] === undefined ? [name] : [])))
  return Object.fromEntries(Object.entries(problems).filter(([name]) => !untouched.has(name)))
}

type SummaryProps = {
  preview: ImportPreview
  mapping: NewImportForm['values']['columnMapping']
  options: OutcomeOptions
}

/** In a sentence or two: how many fields would be new, existing, widened or left out. */
function Summary({ preview, mapping, options }: SummaryProps) {
  const outcomes = preview.columns.map((column) => outcomeOf(column, targetOf(column, mapping), options))
  const count = (effect: string | undefined): number => outcomes.filter((one) => one?.effect === effect).length
  const ofEvents = eventColumns(preview.columns, mapping).length
  const parts = [
    [count('added'), 'new'],
    [count('kept'), 'existing'],
    [count('widened'), 'widened'],
    [count(undefined) - ofEvents, 'left out'],
    [ofEvents, 'of events'],
  ] as const
  const seen = preview.isWhole ? 'the whole file' : `the first ${formatNumber(preview.sampledRows)} rows`
  return (
    <>
      <Text component="output" display="block" size="sm" c="dimmed">
        {`Fields: ${parts.flatMap(([number, what]) => (number > 0 ? [`${formatNumber(number)} ${what}`] : [])).join(', ')}. Types as in ${seen}.`}
        {isRemembered(preview) && ` Starts from the choices of the import '${preview.remembered?.name}'.`}
        {preview.emptyRows > 0 && ` Empty rows skipped: ${formatNumber(preview.emptyRows)}.`}
      </Text>
      <WorkbookNotes preview={preview} />
      {preview.setAsideRows > 0 && (
        <Alert color="orange" icon={<IconAlertTriangle size={17} />} p="8px 12px">
          {`${formatCount(preview.setAsideRows, 'row')} of ${seen} would be set aside: `}
          {preview.setAside.map(({ line, reason }) => `line ${formatNumber(line)}: ${reason}`).join(' ')}
        </Alert>
      )}
      <MisfitNote preview={preview} outcomes={outcomes} seen={seen} />
    </>
  )
}

/** Whether choices were remembered from the last import of a file with this header. */
const isRemembered = ({ remembered }: ImportPreview): boolean =>
  remembered !== null &&
  [remembered.columnMapping, remembered.onMismatchByField, remembered.columnTypes].some(
    (choices) => Object.keys(choices).length > 0,
  )

type MisfitNoteProps = { preview: ImportPreview; outcomes: (ColumnOutcome | null)[]; seen: string }

/** Says that there are misfits, and in which columns, which may be far down. */
function MisfitNote({ preview, outcomes, seen }: MisfitNoteProps) {
  const cells = outcomes.reduce((sum, one) => sum + (one?.misfits.cells ?? 0), 0)
  if (cells === 0) return null
  const names = preview.columns.flatMap(({ name }, at) => (outcomes[at]?.misfits.cells ? [name] : []))
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={17} />} p="8px 12px">
      {`${formatCount(cells, 'cell')} of ${seen} ${cells === 1 ? 'does' : 'do'} not fit the type of ${names.length === 1 ? 'the field' : 'the fields'} ${names.join(', ')}.`}
    </Alert>
  )
}

/** Facts about a workbook that its values do not show. */
function WorkbookNotes({ preview: { hiddenRows, errorCells } }: { preview: ImportPreview }) {
  const notes = [
    hiddenRows > 0 && `${formatCount(hiddenRows, 'hidden row')} will be imported too.`,
    errorCells > 0 &&
      `${formatCount(errorCells, 'cell')} with an error, such as #N/A, or a formula without a stored result will be empty. Save the file in Excel to store results.`,
  ].filter(Boolean)
  if (notes.length === 0) return null
  return (
    <Alert color="blue" icon={<IconInfoCircle size={17} />} p="8px 12px">
      {notes.join(' ')}
    </Alert>
  )
}

/** Wider files would make the dialog slow. */
const maxColumns = 60

function RowTable({ preview }: { preview: ImportPreview }) {
  const columns = preview.columns.slice(0, maxColumns)
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- nothing in it takes the focus: else no key scrolls it */}
      <section className={css['scroll']} tabIndex={0} aria-label="First rows of the file">
        <table className={`${css['table']} ${css['rows']}`}>
          <thead>
            <tr>
              {columns.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.rows.map((row, index) => (
              // Rows of a file have no identity but their position.
              <tr key={index}>
                {columns.map(({ name }, position) => (
                  <td key={name} title={row[position]}>
                    {row[position]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {preview.columns.length > maxColumns && (
        <Text size="xs" c="dimmed">
          {`The first ${maxColumns} of ${formatNumber(preview.columns.length)} columns.`}
        </Text>
      )}
    </>
  )
}
