import { Input } from '@mantine/core'
import { NameList } from '#ui/page/name-list.tsx'

const label = 'File columns'

/** Replaces the choice of fields for groups: their file holds the columns that form the groups. */
export function FileColumns({ columns }: { columns: string[] }) {
  return (
    <section aria-label={label}>
      <Input.Wrapper
        labelElement="div"
        label={label}
        description="This filter groups contacts: the file has one row per group."
      >
        <NameList names={columns} />
      </Input.Wrapper>
    </section>
  )
}
