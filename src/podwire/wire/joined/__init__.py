"""Facts and peers' answers joined, piece by piece: what the picture is made of.

Nothing here sees the picture.
"""
