import { Input } from '@mantine/core'
import { NameList } from '#ui/page/name-list.tsx'

const label = 'File columns'

/** In the place of a choice of fields: what a file of groups holds is what made the groups. */
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
