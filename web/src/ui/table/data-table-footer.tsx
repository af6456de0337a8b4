import { NativeSelect, Pagination } from '@mantine/core'
import { useId } from 'react'
import css from './data-table.module.css'

type DataTableFooterProps = {
  label: string
  page: number
  pageSize: number
  pageSizes: number[]
  total: number
  shown: number
  onPageChange: (page: number) => void
  onPageSizeChange: (pageSize: number) => void
}

const controlLabels = { first: 'First page', previous: 'Previous page', next: 'Next page', last: 'Last page' }

export function DataTableFooter(props: DataTableFooterProps) {
  const { label, page, pageSize, pageSizes, total, shown } = props
  const selectId = useId()
  const first = pageSize === Number.POSITIVE_INFINITY ? 1 : (page - 1) * pageSize + 1
  const number = new Intl.NumberFormat('en-US')
  return (
    <div className={css['footer']}>
      <output>
        {shown > 0 ? `${number.format(first)}–${number.format(first + shown - 1)} of ` : ''}
        {number.format(total)}
      </output>
      <div className={css['paging']}>
        {pageSizes.length > 1 && (
          <>
            <label htmlFor={selectId}>Records per page</label>
            <NativeSelect
              id={selectId}
              w={62}
              value={String(pageSize)}
              data={pageSizes.map((size) => ({
                value: String(size),
                label: Number.isFinite(size) ? String(size) : 'All',
              }))}
              onChange={(event) => props.onPageSizeChange(Number(event.currentTarget.value))}
            />
          </>
        )}
        <nav aria-label={`Pages of ${label}`}>
          <Pagination
            size="sm"
            gap={4}
            siblings={1}
            value={page}
            total={Math.max(1, Math.ceil(total / pageSize))}
            onChange={props.onPageChange}
            getControlProps={(control) => ({ 'aria-label': controlLabels[control] })}
            getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
          />
        </nav>
      </div>
    </div>
  )
}
