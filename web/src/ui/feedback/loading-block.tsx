import { Skeleton, type SkeletonProps } from '@mantine/core'

/** The place of content that is on its way; a screen reader says that it is loading. */
export function LoadingBlock(props: SkeletonProps) {
  return <Skeleton component="output" aria-label="Loading" {...props} />
}
