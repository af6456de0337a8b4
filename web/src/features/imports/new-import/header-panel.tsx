import type { PreviewHeader } from '@portico/contract/import-preview'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import IconInfoCircle from '#icons/IconInfoCircle'
import { formatNumber } from '#lib/formats.ts'
import type { ImportFile } from './import-file.ts'
import css from './preview-tab.module.css'

type HeaderPanelProps = { file: ImportFile; header: PreviewHeader }

/** The header of the file: its line can be chosen, and unnamed columns get a name. */
export function HeaderPanel({ file, header }: HeaderPanelProps) {
  const [isOpen, setOpen] = useState(false)
  const isShown = isOpen || header.refusal !== null
  const { line, likelyLine } = header
  return (
    <Stack gap="xs">
      {header.unnamed.length > 0 && <Names file={file} header={header} />}
      {header.leftOut.length > 0 && <LeftOut file={file} header={header} />}
      <Group gap="xs">
        <Text size="sm">
          {line === null ? 'No header was found.' : `The header is on line ${formatNumber(line)} of the file.`}
          {file.chosenFor !== null && ` Read as for the import '${file.chosenFor}'.`}
          {likelyLine !== null && ` Line ${formatNumber(likelyLine)} looks more like it.`}
        </Text>
        {likelyLine !== null && (
          <Button variant="default" size="compact-sm" onClick={() => file.chooseHeader({ headerLine: likelyLine })}>
            {`Use line ${formatNumber(likelyLine)}`}
          </Button>
        )}
        {header.refusal === null && (
          <Button variant="subtle" size="compact-sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Choose another line
          </Button>
        )}
      </Group>
      {isShown && <FirstLines file={file} header={header} />}
    </Stack>
  )
}

const plural = (columns: readonly number[]): string =>
  columns.length === 1 ? `Column ${columns[0]} has` : `Columns ${columns.join(', ')} have`

const shownNames = 20

/** Offers names for unnamed columns, or shows those they were given. */
function Names({ file, header: { unnamed } }: HeaderPanelProps) {
  const { nameColumns } = file
  return (
    <Alert
      color={nameColumns ? 'blue' : 'orange'}
      icon={<IconInfoCircle size={17} />}
      p="8px 12px"
      title={`${plural(unnamed.map(({ column }) => column))} no name of ${unnamed.length === 1 ? 'its' : 'their'} own`}
      style={{ overflowWrap: 'anywhere' }}
    >
      <ul className={css['names']}>
        {unnamed.slice(0, shownNames).map(({ column, name, becomes }) => (
          <li key={column}>{`Column ${column}: ${name === '' ? 'blank' : name} → ${becomes}`}</li>
        ))}
      </ul>
      {unnamed.length > shownNames && <div>{`and ${formatNumber(unnamed.length - shownNames)} more`}</div>}
      <Button
        variant="default"
        size="compact-sm"
        mt={6}
        onClick={() => file.chooseHeader({ nameColumns: !nameColumns })}
      >
        {nameColumns ? 'Do not use these names' : 'Use these names'}
      </Button>
    </Alert>
  )
}

/** Lists the columns left out, and says how values that are not in the sample are treated. */
function LeftOut({ file, header: { leftOut } }: HeaderPanelProps) {
  const later = file.nameColumns
    ? 'If a value follows further down, the column gets a name and is imported.'
    : 'If a value follows further down, the import is rejected and names its line.'
  return (
    <Text size="sm" c="dimmed">
      {`${plural(leftOut)} no name and no values, and ${leftOut.length === 1 ? 'is' : 'are'} left out. ${later}`}
    </Text>
  )
}

function FirstLines({ file, header }: HeaderPanelProps) {
  return (
    // The buttons in it let the keyboard scroll it.
    <div className={css['scroll']} style={{ maxHeight: 260 }}>
      <table className={`${css['table']} ${css['rows']}`} aria-label="First lines of the file">
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Cells</th>
            <th scope="col">Header</th>
          </tr>
        </thead>
        <tbody>
          {header.lines.map(({ line, cells }) => (
            <tr key={line}>
              <th scope="row">{formatNumber(line)}</th>
              <td title={cells.join(' · ')}>{cells.join(' · ')}</td>
              <td>
                {line === header.line ? (
                  'Header'
                ) : (
                  // Short enough for a phone.
                  <Button
                    variant="subtle"
                    size="compact-xs"
                    aria-label={`Use line ${formatNumber(line)} as header`}
                    onClick={() => file.chooseHeader({ headerLine: line })}
                  >
                    {`Use line ${formatNumber(line)}`}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
