import { Center, Loader } from '@mantine/core'
import { PageHeader } from '#ui/page/page-header.tsx'

/** Shown while the session or a screen's code is loading, below the screen's heading if it is known. */
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
