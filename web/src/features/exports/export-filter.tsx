import type { Field } from '@portico/contract/contacts'
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import IconFilter from '#icons/IconFilter'
import { FilterDialog } from './filter-dialog.tsx'
import { MatchingContacts } from './matching-contacts.tsx'
import type { NewExportForm } from './new-export-dialog.tsx'
import css from './part.module.css'

/** Which contacts are exported: in words, with their number, and the way to the filter builder. */
export function ExportFilter({ form, fields }: { form: NewExportForm; fields: Field[] }) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <div className={css['part']}>
      <div className={css['head']}>
        <span className={css['title']}>Filter</span>
        <Button variant="default" leftSection={<IconFilter size={15} aria-hidden />} onClick={open}>
          Edit filter
        </Button>
      </div>
      <MatchingContacts filter={form.values.filter} />
      {isOpen && (
        <FilterDialog
          fields={fields}
          value={form.values.filter}
          onApply={(filter) => {
            form.setFieldValue('filter', filter)
            close()
          }}
          onClose={close}
        />
      )}
    </div>
  )
}
