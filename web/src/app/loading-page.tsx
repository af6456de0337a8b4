import { Center, Loader } from '@mantine/core'

/** While the session or a screen's code is on its way. */
export function LoadingPage() {
  return (
    <Center component="output" mih="60vh" aria-label="Loading">
      <Loader size={26} />
    </Center>
  )
}
