"""What data there is, and how it comes in: one `Dataset`, many sources."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_dataset": ["Dataset"],
        "_frame": ["from_frame"],
        "_input": ["features_only", "file_name", "given", "referred"],
        "_files": ["bytes_of", "digest_of", "existing", "find_format"],
        "_matrix": ["column_names", "read_frame", "read_matrix"],
        "readers._csv": ["read_csv"],
        "readers._images": ["PicturesDiffer", "pictures_of"],
        "readers._packed": ["opened", "unpacked"],
        "readers._parquet": ["read_parquet"],
        "_load": ["available", "load", "register"],
        "_reference": ["READ_OPTIONS", "check_reference", "describe", "resolve"],
        "_read": ["read"],
        "_picture_facts": ["picture_facts"],
        "home._folder": ["fetch", "import_files", "verify"],
        "home._home": ["data_home"],
        "_kinds": ["KINDS", "check_columns", "column_kind", "detect_kinds"],
        "_roles": [
            "OWNER_WORDS",
            "as_dates",
            "column_role",
            "columns_left_out",
            "is_date",
            "name_words",
            "positive_class",
        ],
        "_content": ["content_digest"],
        "catalogue._digest": ["digest"],
        "_fingerprint": ["fingerprint"],
        "registry": [],
    },
)
