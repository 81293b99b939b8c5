"""From files to facts: manifests, cluster dumps, bundles, node trees."""
