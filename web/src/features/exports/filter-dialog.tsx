import type { Field } from '@portico/contract/contacts'
import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type Filter, FilterBuilder, type FilterTab } from '#domain/filters'
import { useMayAdministerAll } from '#lib/session/role.ts'

const tabs: FilterTab[] = ['standard', 'behavioral', 'bylocation', 'groupby', 'predefined', 'fulltext']
const maxConditions = 4

type FilterDialogProps = { fields: Field[]; value: Filter; onApply: (filter: Filter) => void; onClose: () => void }

/** Which contacts are exported, and how they are grouped. */
export function FilterDialog({ fields, value, onApply, onClose }: FilterDialogProps) {
  const isAdmin = useMayAdministerAll()
  const isNarrow = useMediaQuery('(max-width: 640px)') ?? false
  return (
    <Modal
      opened
      onClose={onClose}
      title="Filter"
      size={900}
      fullScreen={isNarrow}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <FilterBuilder
        fields={fields}
        value={value}
        onApply={onApply}
        onCancel={onClose}
        tabs={tabs}
        maxConditions={maxConditions}
        isAdmin={isAdmin}
      />
    </Modal>
  )
}
