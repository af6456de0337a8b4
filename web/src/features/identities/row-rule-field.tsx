import { Button, Group, Input, Text } from '@mantine/core'
import type { Stages } from '@portico/contract/filter'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { useState } from 'react'
import IconFilter from '#icons/IconFilter'
import { useFields } from '#domain/fields'
import { emptyFilter, FilterDialog, filterFields, type FilterTab, matchStagesOf, readFilter } from '#domain/filters'
import { useLoadWhenIdle } from '#ui/page/load-when-idle.ts'
import { RowRuleText } from './row-rule-text.tsx'

type RowRuleFieldProps = {
  value: Stages | null
  onChange: (rule: Stages | null) => void
  error: React.ReactNode
}

// People could change a saved filter that restricts them; a full-text search depends on an index.
const tabs: readonly FilterTab[] = ['standard', 'behavioral', 'bylocation']
const openedParts = [FilterDialog]
const label = 'Contacts this identity may see'

/** The row rule of an identity in words, and the button that opens the filter builder. */
export function RowRuleField({ value, onChange, error }: RowRuleFieldProps) {
  const [isOpen, setOpen] = useState(false)
  useLoadWhenIdle(openedParts, true)
  const fields = useFields().data ?? []
  return (
    <Input.Wrapper
      label={label}
      description="Searches, counts, exports, deletes and dashboards are limited to them. Pages that a remote access opens to the public are not."
      error={error}
      labelElement="div"
    >
      <Text size="sm" mt={6} mb={6} component="div">
        <RowRuleText rule={value} />
      </Text>
      <Group gap="xs">
        <Button variant="default" leftSection={<IconFilter size={15} aria-hidden />} onClick={() => setOpen(true)}>
          Choose contacts
        </Button>
        {value !== null && (
          <Button variant="default" onClick={() => onChange(null)}>
            All contacts
          </Button>
        )}
      </Group>
      {isOpen && (
        <FilterDialog
          title={label}
          fields={fields}
          tabs={tabs}
          value={value ? readFilter(parsePipeline(value), filterFields(fields)) : emptyFilter}
          onApply={(filter) => {
            const stages = writePipeline(matchStagesOf(filter))
            onChange(stages.length === 0 ? null : stages)
            setOpen(false)
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </Input.Wrapper>
  )
}
