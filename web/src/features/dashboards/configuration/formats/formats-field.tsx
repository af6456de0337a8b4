import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { Field } from '@portico/contract/contacts'
import { Button, Input, Text } from '@mantine/core'
import IconSettings from '#icons/IconSettings'
import { formattedColumns } from './formatted-columns.ts'

type FormatsFieldProps = { chart: CellChart; fields: readonly Field[]; onEdit: () => void }

/** The columns with a format of their own by name, and the button that opens the formats. */
export function FormatsField({ chart, fields, onEdit }: FormatsFieldProps) {
  const columns = formattedColumns(chart, fields)
  if (columns.length === 0) return null
  const own = columns.filter((name) => chart.portico?.formats?.[name])
  return (
    <Input.Wrapper label="Formats" labelElement="div">
      <Text size="sm" mb={6} style={{ overflowWrap: 'anywhere' }}>
        {own.length === 0 ? 'As the fields say' : own.join(', ')}
      </Text>
      <Button variant="default" leftSection={<IconSettings size={15} aria-hidden />} onClick={onEdit}>
        Edit formats
      </Button>
    </Input.Wrapper>
  )
}
