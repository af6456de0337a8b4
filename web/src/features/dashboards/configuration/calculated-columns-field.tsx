import type { CalculatedColumn } from '@portico/contract/dashboards/calculated-column'
import { Button, Input, Text } from '@mantine/core'
import IconMathFunction from '#icons/IconMathFunction'

type CalculatedColumnsFieldProps = {
  value: readonly CalculatedColumn[]
  error: string | undefined
  onEdit: () => void
}

/** The calculated columns of a table by name, and the button that opens their editor. */
export function CalculatedColumnsField({ value, error, onEdit }: CalculatedColumnsFieldProps) {
  return (
    <Input.Wrapper label="Calculated columns" error={error} labelElement="div" withAsterisk>
      <Text size="sm" mb={6} style={{ overflowWrap: 'anywhere' }}>
        {value.length === 0 ? 'None yet' : value.map(({ name }) => name).join(', ')}
      </Text>
      <Button variant="default" leftSection={<IconMathFunction size={15} aria-hidden />} onClick={onEdit}>
        Edit calculated columns
      </Button>
    </Input.Wrapper>
  )
}
