import { Center, Loader } from '@mantine/core'
import { PageHeader } from '#ui/page/page-header.tsx'

/** While the session or a screen's code is on its way, below the screen's heading where it is known. */
export function LoadingPage({ title }: { title?: string }) {
  return (
    <>
      {title && <PageHeader title={title} description=" " />}
      <Center component="output" mih="60vh" aria-label="Loading">
        <Loader size={26} />
      </Center>
    </>
  )
}
