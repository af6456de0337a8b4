import { Button } from '@mantine/core'
import IconFilter from '#icons/IconFilter'
import { type Filter } from '#domain/filters'
import type { ExportedRows } from './exported-rows.ts'
import { MatchingRows } from './matching-rows.tsx'
import css from './part.module.css'

type ExportFilterProps = { filter: Filter; rows: ExportedRows; onEdit: () => void }

/** Filter of an export: a sentence, the number of contacts, and a button to edit it. */
export function ExportFilter({ filter, rows, onEdit }: ExportFilterProps) {
  return (
    <div>
      <div className={css['head']}>
        <span className={css['title']}>Filter</span>
        <Button variant="default" leftSection={<IconFilter size={15} aria-hidden />} onClick={onEdit}>
          Edit filter
        </Button>
      </div>
      <MatchingRows filter={filter} rows={rows} />
    </div>
  )
}
